;;; with-eglot.el --- The server through eglot  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)
(require 'onnxls-eglot)

(defun t-connect ()
  "Connect this buffer; `eglot-ensure' would wait for a command, and batch has none."
  (unless (eglot-current-server)
    (apply #'eglot--connect (eglot--guess-contact)))
  (t-until "eglot" (eglot-managed-p))
  (unless flymake-mode
    (flymake-mode 1))
  (flymake-start))

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

(load (expand-file-name "server" (file-name-directory load-file-name)) nil t)
;;; with-eglot.el ends here
