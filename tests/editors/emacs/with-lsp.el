;;; with-lsp.el --- The server through lsp-mode  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)
(setq lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-restart 'auto-restart
      lsp-auto-guess-root t
      lsp-enable-snippet nil
      lsp-diagnostics-provider :flymake
      lsp-warn-no-matched-clients nil
      lsp-enable-file-watchers nil
      lsp-modeline-code-actions-enable nil
      lsp-modeline-diagnostics-enable nil
      lsp-modeline-workspace-status-enable nil
      lsp-headerline-breadcrumb-enable nil
      lsp-semantic-tokens-enable t
      lsp-semantic-tokens-allow-ranged-requests nil
      lsp-idle-delay 0.05)
(require 'onnxls-lsp)
(dolist (library '(lsp-lens lsp-diagnostics lsp-completion lsp-modeline lsp-semantic-tokens))
  (require library nil t))
(lsp-workspace-folders-add (alist-get 'project t-given))

(defun t-initialized ()
  "The workspace of this buffer when it is ready."
  (seq-find (lambda (workspace) (eq 'initialized (lsp--workspace-status workspace)))
            (lsp-workspaces)))

(defun t-connect ()
  "Connect this buffer."
  (unless (t-initialized)
    (lsp))
  (t-until "lsp-mode" (t-initialized))
  (unless flymake-mode
    (flymake-mode 1))
  (flymake-start))

(defun t-connection ()
  "What is another one after a restart."
  (lsp--workspace-proc (t-initialized)))

(defun t-server-process ()
  "The process of this buffer's server."
  (lsp--workspace-cmd-proc (t-initialized)))

(defun t-send-changes ()
  "Do what an idle timer does."
  (when (fboundp 'lsp--flush-delayed-changes)
    (lsp--flush-delayed-changes)))

(defun t-hover ()
  "The text of a hover at point, as lsp-mode renders it."
  (let ((answer (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
    (substring-no-properties (lsp--render-on-hover-content (lsp-get answer :contents) t))))

(defun t-rule (diagnostic)
  "The rule that DIAGNOSTIC is of."
  (let ((text (flymake-diagnostic-text diagnostic))
        found)
    (maphash (lambda (_file all)
               (dolist (one all)
                 (when (string-match-p (regexp-quote (lsp-get one :message)) text)
                   (setq found (lsp-get one :code)))))
             (lsp-diagnostics))
    found))

(defun t-await-restart (connection)
  "Wait for another connection than CONNECTION."
  (t-until "a new server"
    (let ((workspace (t-initialized)))
      (and workspace (not (eq (lsp--workspace-proc workspace) connection)))))
  (flymake-mode 1)
  (flymake-start))

(defun t-allow-restart ()
  "Nothing has to be waited for: lsp-mode restarts at once, here without asking.")

;; This came with lsp-mode 9.
(defun t-negotiates-encoding ()
  "Non-nil if `lsp-mode' offers the server position encodings."
  (with-lsp-workspace (t-initialized)
    (assq 'general (lsp--client-capabilities))))

;; FIXME: lsp-mode 8 counts characters where the protocol counts UTF-16 units; 9 and later offer other encodings.
(defun t-column (want)
  "The column where WANT is shown."
  (or (and (not (t-negotiates-encoding))
           (alist-get 'utf16Column want))
      (alist-get 'column want)))

;; lsp-mode 8 asks for the uses without the definition.
(defun t-reference-places (want)
  "The places that the references of WANT have."
  (let ((places (alist-get 'at want)))
    (if (t-negotiates-encoding) places (cdr places))))

(defun t-tokens ()
  "The faces of semantic tokens."
  (dolist (want (t-want 'tokens))
    (t-open (alist-get 'document want))
    (t-connect)
    (unless (bound-and-true-p lsp-semantic-tokens-mode)
      (lsp-semantic-tokens-mode 1))
    (t-until "the tokens"
      (unless lsp--semantic-tokens-cache
        (lsp-semantic-tokens--request-update))
      lsp--semantic-tokens-cache)
    (font-lock-fontify-region (point-min) (point-max))
    (t-go (alist-get 'line want) (alist-get 'column want))
    (let* ((face (get-text-property (point) 'face))
           (faces (if (listp face) face (list face))))
      (unless (memq (intern (concat "lsp-face-semhl-" (alist-get 'type want))) faces)
        (error "%S has the faces %S" want faces)))))

(load (expand-file-name "server" (file-name-directory load-file-name)) nil t)
;;; with-lsp.el ends here
