;;; with-eglot.el --- The server through eglot  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)
(require 'onnxls-eglot)
(setq eglot-connect-timeout t-patience
      jsonrpc-default-request-timeout t-patience)

(defun t-connect ()
  "Connect this buffer; `eglot-ensure' would wait for a command, and batch has none."
  (unless (eglot-current-server)
    (apply #'eglot--connect (eglot--guess-contact)))
  (t-until "eglot" (eglot-managed-p))
  (unless flymake-mode
    (flymake-mode 1))
  (flymake-start))

(defun t-has-status ()
  "Non-nil if the mode line says what was judged."
  t)

(defun t-connection ()
  "What is another one after a restart."
  (eglot-current-server))

(defun t-server-process ()
  "The process of this buffer's server."
  (jsonrpc--process (eglot-current-server)))

(defun t-send-changes ()
  "Do what an idle timer does."
  (eglot--signal-textDocument/didChange))

(defun t-hover ()
  "The text that eldoc shows at point."
  (let (text)
    (eglot-hover-eldoc-function (lambda (string &rest _) (setq text (or string ""))))
    (substring-no-properties (t-until "eldoc" text))))

(defun t-rule (diagnostic)
  "The rule that DIAGNOSTIC is of."
  (let ((data (alist-get 'eglot-lsp-diag (flymake-diagnostic-data diagnostic))))
    (plist-get data :code)))

(defun t-await-restart (connection)
  "Wait for another connection than CONNECTION, as eglot makes it by default."
  (t-until "a new server"
    (let ((server (eglot-current-server)))
      (and server (not (eq server connection)) (jsonrpc-running-p server))))
  (flymake-start))

(defun t-allow-restart ()
  "Wait until eglot believes that the server will live."
  (t-until "eglot's trust" (not (eglot--inhibit-autoreconnect (eglot-current-server)))))

(defun t-column (want)
  "The column where WANT is shown."
  (alist-get 'column want))

(defun t-reference-places (want)
  "The places that the references of WANT have."
  (alist-get 'at want))

(defun t-tokens ()
  "The version that is tested has no semantic tokens, or they are off."
  'absent)

(defun t-run-action (title)
  "Run the code action at point whose title begins with TITLE, as `eglot-code-actions' does."
  (cl-letf ((last-nonmenu-event t)  ; Not by mouse.
            ((symbol-function 'y-or-n-p) #'always)
            ((symbol-function 'completing-read)
             (lambda (_prompt titles &rest _)
               (or (car (all-completions title titles)) (error "No %s among %S" title titles)))))
    (eglot--read-execute-code-action (eglot-code-actions (point) (point)) (eglot-current-server))))

(defun t-hints ()
  "The inlay hints of this buffer as text, or nil if this eglot has none."
  (when (fboundp 'eglot-inlay-hints-mode)
    (eglot-inlay-hints-mode 1)
    (t-until "inlay hints"
      (eglot--update-hints-1 (point-min) (point-max))
      (accept-process-output nil 0.1)
      (let ((text (mapconcat (lambda (overlay) (concat (overlay-get overlay 'before-string) (overlay-get overlay 'after-string)))
                             (overlays-in (point-min) (point-max)) " ")))
        (and (string-match-p ":" text) (substring-no-properties text))))))

(load (expand-file-name "server" (file-name-directory load-file-name)) nil t)
;;; with-eglot.el ends here
