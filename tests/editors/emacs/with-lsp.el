;;; with-lsp.el --- The server through lsp-mode  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)
(setq lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-restart 'auto-restart
      lsp-response-timeout t-patience
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

(defun t-has-status ()
  "Non-nil if the mode line says what was judged."
  nil)

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

(defun t-run-action (title)
  "Run the code action at point whose title begins with TITLE."
  ;; lsp-mode writes a new file behind the back of the buffer that it has for it, and then Emacs asks.
  (cl-letf (((symbol-function 'yes-or-no-p) (lambda (&rest _) t)))
    (lsp-execute-code-action
     (or (seq-find (lambda (one) (string-prefix-p title (lsp-get one :title))) (append (lsp-code-actions-at-point) nil))
         (error "No action %s" title)))))

(defun t-hints ()
  "The inlay hints of this buffer as text, or nil if this lsp-mode has none."
  (when (fboundp 'lsp-inlay-hints-mode)
    (lsp-inlay-hints-mode 1)
    (t-until "inlay hints"
      (lsp-update-inlay-hints (point-min) (point-max))
      (accept-process-output nil 0.1)
      (let ((text (mapconcat (lambda (overlay) (concat (overlay-get overlay 'before-string) (overlay-get overlay 'after-string)))
                             (overlays-in (point-min) (point-max)) " ")))
        (and (string-match-p ":" text) (substring-no-properties text))))))

(load (expand-file-name "server" (file-name-directory load-file-name)) nil t)
;;;; Python: an add-on beside another server; here that is a second one of ours, which stands for a Python server

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () (list "onnxls" "serve" "--stdio")))
  :major-modes '(python-mode)
  :server-id 'other))

(defun t-python (&rest path)
  "What expected.json says of Python at PATH."
  (apply #'t-want 'python path))

(defun t-servers ()
  "The servers of this buffer that are ready."
  (mapcar #'lsp--workspace-server-id
          (seq-filter (lambda (workspace) (eq 'initialized (lsp--workspace-status workspace))) (lsp-workspaces))))

(defun t-python-open (name servers)
  "Visit NAME, start lsp, and wait for SERVERS."
  (t-open name)
  (unless (bound-and-true-p lsp-mode)
    (lsp))
  (t-until (format "%S" servers) (null (seq-difference servers (t-servers))))
  (t-equal (length (t-servers)) (length servers) "servers")
  (unless flymake-mode
    (flymake-mode 1))
  (flymake-start))

(defun t-ask (method params)
  "What the add-on answers to METHOD with PARAMS."
  (with-lsp-workspace (seq-find (lambda (workspace) (eq (lsp--workspace-server-id workspace) 'onnxls-python))
                                (lsp-workspaces))
    (lsp-request method params)))

;; When a server says something about another file, lsp-mode 8 shows here what that server alone has to say.
(defun t-python-diagnostics ()
  "What flymake shows of all servers."
  (lsp-diagnostics--flymake-update-diagnostics)
  (flymake-diagnostics))

(t-test "Python: diagnostics"
  (t-python-open (t-python 'document) '(onnxls-python other))
  (let ((found (car (t-until "a diagnostic" (t-python-diagnostics)))))
    (t-equal (t-place (flymake-diagnostic-beg found))
             (list (t-python 'diagnostic 'line) (t-python 'diagnostic 'column)) "place")
    (t-equal (t-rule found) (t-python 'diagnostic 'rule) "rule")))

(t-test "Python: hover, completion, definition"
  (t-python-open (t-python 'document) '(onnxls-python other))
  (t-go (t-python 'hover 'line) (t-python 'hover 'column))
  (t-has (replace-regexp-in-string
          "`" "" (lsp-get (lsp-get (t-ask "textDocument/hover" (lsp--text-document-position-params)) :contents) :value))
         (t-python 'hover 'has) "hover")
  (t-go (t-python 'completion 'line) (t-python 'completion 'column))
  (let* ((answer (t-ask "textDocument/completion" (lsp--text-document-position-params)))
         (items (append (if (vectorp answer) answer (lsp-get answer :items)) nil)))
    (t-has (format "%S" (mapcar (lambda (item) (lsp-get item :label)) items)) (list (t-python 'completion 'label)) "completion"))
  (t-go (t-python 'definition 'line) (t-python 'definition 'column))
  (let ((items (xref-backend-definitions (xref-find-backend) (xref-backend-identifier-at-point (xref-find-backend))))
        (wanted (list (t-python 'definition 'to 'line) (t-python 'definition 'to 'column))))
    (t-equal (seq-every-p (lambda (place) (equal place wanted)) (t-xref-places items)) t "definition")))

(t-test "Python: code action"
  (t-python-open (t-python 'document) '(onnxls-python other))
  (t-until "a diagnostic" (t-python-diagnostics))
  (t-go (t-python 'diagnostic 'line) (t-python 'diagnostic 'column))
  (let ((action (seq-find (lambda (one) (equal (lsp-get one :title) (t-python 'action 'title)))
                          (append (lsp-code-actions-at-point) nil))))
    (lsp-execute-code-action (or action (error "No such action"))))
  (t-equal (buffer-substring-no-properties (line-beginning-position) (line-end-position)) (t-python 'action 'text) "line")
  (t-until "no diagnostic" (progn (t-send-changes) (null (t-python-diagnostics))))
  (revert-buffer t t t))

(t-test "Python: ordinary files"
  (t-python-open (t-python 'ordinary) '(other)))

;;; with-lsp.el ends here
