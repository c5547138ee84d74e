;;; onnxls-python.el --- Symbolic functions in Python buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Eglot has one server for a buffer, and a Python buffer has a Python server.
;; `onnxls-python-mode' is a minor mode with a connection of its own beside it:
;; problems come by flymake, hovers by eldoc, definitions by xref, and
;; completions by `completion-at-point'.  Where the server has nothing to say,
;; whatever else is set up for the buffer is asked as before.
;;
;;   (add-hook 'python-mode-hook #'onnxls-python-ensure)
;;
;; turns it on in buffers that mention ONNX.  With lsp-mode it is not needed:
;; there the server is an add-on.

;;; Code:

(require 'cl-lib)
(require 'eldoc)
(require 'flymake)
(require 'jsonrpc)
(require 'project)
(require 'url-util)
(require 'xref)
(require 'onnxls)

(defconst onnxls-python--sign "onnx\\|def symbolic("
  "What a buffer has that the server is of use in.")

(defconst onnxls-python--idle-delay 0.3
  "Seconds without typing after which the server hears of changes.")

(defconst onnxls-python--restart-limit 4
  "How often a server that dies is started again within three minutes.")

(defvar onnxls-python--connections (make-hash-table :test #'equal)
  "Connections by the root of their project.")

(defvar onnxls-python--restarts nil
  "When servers were started again after they had died.")

(defvar onnxls-python-mode)

(defvar-local onnxls-python--root nil
  "The root of this buffer's project while the mode is on.")

(defvar-local onnxls-python--version 0
  "How often the text has been sent.")

(defvar-local onnxls-python--changes nil
  "Changes that have not been sent, the last first; t if all has to be sent.")

(defvar-local onnxls-python--timer nil
  "Sends the changes.")

(defvar-local onnxls-python--report nil
  "What flymake wants to be called with.")

(defvar-local onnxls-python--diagnostics nil
  "The last diagnostics, as the server has sent them.")

;;;###autoload
(defun onnxls-python-relevant-p ()
  "Non-nil if this buffer mentions ONNX.
Everything of torch.onnx and onnxscript has that in its imports."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (re-search-forward onnxls-python--sign nil t))))

;;;; The connection

(defun onnxls-python--find-root ()
  "The folder that the server is given as the project of this buffer."
  (expand-file-name
   (or (locate-dominating-file default-directory ".onnxls.json")
       (let ((project (project-current)))
         (and project (car (with-no-warnings (project-roots project)))))
       default-directory)))

(defun onnxls-python--connect (root)
  "Start a server for ROOT and return the connection."
  (let ((command (onnxls-command))
        (default-directory root))
    (make-instance
     'jsonrpc-process-connection
     :name "onnxls-python"
     :process (lambda ()
                (make-process :name "onnxls-python" :command command :connection-type 'pipe :coding 'utf-8-emacs-unix
                              :noquery t :stderr (get-buffer-create " *onnxls-python stderr*")))
     :notification-dispatcher #'onnxls-python--on-notification
     :request-dispatcher #'onnxls-python--on-request
     :on-shutdown (lambda (connection) (onnxls-python--on-shutdown connection root)))))

(defun onnxls-python--initialize (connection root)
  "Introduce us to the server of CONNECTION, whose project is ROOT."
  (jsonrpc-request
   connection :initialize
   (list :processId (emacs-pid)
         :rootUri (onnxls-python--uri root)
         :initializationOptions (or (onnxls-settings) (make-hash-table))
         :capabilities
         '(:general (:positionEncodings ["utf-32"])
           :workspace (:configuration t :applyEdit t :workspaceEdit (:documentChanges t))
           :window (:showDocument (:support t))
           :textDocument
           (:hover (:contentFormat ["plaintext"])
            :publishDiagnostics (:relatedInformation :json-false)
            :completion (:completionItem (:documentationFormat ["plaintext"]))
            :codeAction (:codeActionLiteralSupport (:codeActionKind (:valueSet ["quickfix"])))))))
  (jsonrpc-notify connection :initialized (make-hash-table)))

(defun onnxls-python--connection ()
  "The connection of this buffer, made if there is none."
  (let ((connection (gethash onnxls-python--root onnxls-python--connections)))
    (unless (and connection (jsonrpc-running-p connection))
      (setq connection (onnxls-python--connect onnxls-python--root))
      (onnxls-python--initialize connection onnxls-python--root)
      (puthash onnxls-python--root connection onnxls-python--connections))
    connection))

(defun onnxls-python--buffers (root)
  "The buffers of ROOT that have the mode on."
  (seq-filter (lambda (buffer)
                (and (buffer-local-value 'onnxls-python-mode buffer)
                     (equal (buffer-local-value 'onnxls-python--root buffer) root)))
              (buffer-list)))

(defun onnxls-python--on-shutdown (connection root)
  "Start the server of ROOT again if CONNECTION was still in use."
  (when (eq connection (gethash root onnxls-python--connections))
    (remhash root onnxls-python--connections)
    (setq onnxls-python--restarts
          (cons (float-time) (seq-filter (lambda (time) (< (- (float-time) time) 180)) onnxls-python--restarts)))
    (if (> (length onnxls-python--restarts) onnxls-python--restart-limit)
        (message "onnxls has died too often; M-x onnxls-restart starts it again")
      (run-with-timer 0.2 nil #'onnxls-python--reopen root))))

(defun onnxls-python--reopen (root)
  "Give every buffer of ROOT, as it is now, to a new server."
  (dolist (buffer (onnxls-python--buffers root))
    (with-current-buffer buffer
      (onnxls-python--open))))

;;;###autoload
(defun onnxls-python-restart ()
  "Start the server of this Python buffer again."
  (interactive)
  (setq onnxls-python--restarts nil)
  (let ((connection (gethash onnxls-python--root onnxls-python--connections))
        (root onnxls-python--root))
    (remhash root onnxls-python--connections)
    (when (and connection (jsonrpc-running-p connection))
      (jsonrpc-shutdown connection))
    (onnxls-python--reopen root)))

(defun onnxls-python-managed-p ()
  "Non-nil if our minor mode serves this buffer."
  onnxls-python-mode)

(defun onnxls-python-ask (method)
  "What the server of this buffer answers to METHOD about it, as property lists."
  (onnxls-python--send-changes)
  (onnxls--lists (jsonrpc-request (onnxls-python--connection) (intern (concat ":" method))
                                  (list :textDocument (onnxls-python--document)))))

(defun onnxls-python-configure ()
  "Tell every server that its settings have changed."
  (maphash (lambda (_root connection)
             (jsonrpc-notify connection :workspace/didChangeConfiguration
                             (list :settings (list :onnxls (or (onnxls-settings) (make-hash-table))))))
           onnxls-python--connections))

;;;; What the server says unasked

(defun onnxls-python--on-notification (_connection method params)
  "Take PARAMS of the notification METHOD."
  (when (eq method 'textDocument/publishDiagnostics)
    (let ((buffer (find-buffer-visiting (onnxls-python--path (plist-get params :uri)))))
      (when (and buffer (buffer-local-value 'onnxls-python-mode buffer))
        (with-current-buffer buffer
          (setq onnxls-python--diagnostics (append (plist-get params :diagnostics) nil))
          (onnxls-python--report-diagnostics))))))

(defun onnxls-python--on-request (_connection method params)
  "Answer the request METHOD with PARAMS."
  (pcase method
    ('workspace/configuration
     (vconcat (mapcar (lambda (_item) (or (onnxls-settings) (make-hash-table))) (plist-get params :items))))
    ('workspace/applyEdit
     (onnxls-python--apply (plist-get params :edit))
     '(:applied t))
    ('window/showDocument
     (pop-to-buffer (find-file-noselect (onnxls-python--path (plist-get params :uri))))
     '(:success t))))

;;;; Places

(defun onnxls-python--uri (path)
  "The URI of PATH."
  (concat "file://" (url-hexify-string (file-truename path) url-path-allowed-chars)))

(defun onnxls-python--path (uri)
  "The path of URI."
  (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri)) 'utf-8))

(defun onnxls-python--position (&optional position)
  "POSITION, or point, as the server counts: lines and characters from 0."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (or position (point)))
      (list :line (1- (line-number-at-pos)) :character (- (point) (line-beginning-position))))))

(defun onnxls-python--point (position)
  "The place of the server's POSITION in this buffer."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (plist-get position :line))
      (min (line-end-position) (+ (point) (plist-get position :character))))))

(defun onnxls-python--document ()
  "How this buffer is named to the server."
  (list :uri (onnxls-python--uri buffer-file-name)))

(defun onnxls-python--here ()
  "Point, for a request."
  (list :textDocument (onnxls-python--document) :position (onnxls-python--position)))

(defun onnxls-python--ask (method params)
  "What the server answers to METHOD with PARAMS.
Nil if it is not there or takes too long."
  (let ((connection (gethash onnxls-python--root onnxls-python--connections)))
    (when (and connection (jsonrpc-running-p connection))
      (onnxls-python--send-changes)
      (condition-case nil
          (jsonrpc-request connection method params :timeout 2)
        (error nil)))))

;;;; The text

(defun onnxls-python--open ()
  "Give the server the text of this buffer."
  (setq onnxls-python--changes nil)
  (jsonrpc-notify (onnxls-python--connection) :textDocument/didOpen
                  (list :textDocument
                        (append (onnxls-python--document)
                                (list :languageId "python"
                                      :version (cl-incf onnxls-python--version)
                                      :text (onnxls-python--text))))))

(defun onnxls-python--text ()
  "The whole text."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun onnxls-python--before-change (start end)
  "Remember what lies between START and END in the server's words."
  (when (listp onnxls-python--changes)
    (push (list :range (list :start (onnxls-python--position start) :end (onnxls-python--position end))
                :text nil :places (cons start end))
          onnxls-python--changes)))

(defun onnxls-python--after-change (start end length)
  "Complete the change that begins at START, ends at END and had LENGTH."
  (let ((change (car-safe onnxls-python--changes)))
    (if (and change
             (equal (plist-get change :places) (cons start (+ start length))))
        (setcar onnxls-python--changes
                (list :range (plist-get change :range) :text (buffer-substring-no-properties start end)))
      (setq onnxls-python--changes t))  ; Emacs sometimes announces more than it changes.
    (when (timerp onnxls-python--timer)
      (cancel-timer onnxls-python--timer))
    (setq onnxls-python--timer
          (run-with-idle-timer onnxls-python--idle-delay nil #'onnxls-python--send-changes-of (current-buffer)))))

(defun onnxls-python--send-changes-of (buffer)
  "Send what has changed in BUFFER, if it lives."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (onnxls-python--send-changes))))

(defun onnxls-python--send-changes ()
  "Tell the server what has changed since it was told the last time."
  (let ((connection (gethash onnxls-python--root onnxls-python--connections))
        (changes onnxls-python--changes))
    (when (and changes connection (jsonrpc-running-p connection))
      (setq onnxls-python--changes nil)
      (jsonrpc-notify connection :textDocument/didChange
                      (list :textDocument (append (onnxls-python--document)
                                                  (list :version (cl-incf onnxls-python--version)))
                            :contentChanges
                            (if (and (listp changes) (seq-every-p (lambda (change) (plist-get change :text)) changes))
                                (vconcat (reverse changes))
                              (vector (list :text (onnxls-python--text)))))))))

(defun onnxls-python--close ()
  "Tell the server that the text is not ours any more.
If it has no other, end it."
  (let ((connection (gethash onnxls-python--root onnxls-python--connections)))
    (when (and connection (jsonrpc-running-p connection))
      (jsonrpc-notify connection :textDocument/didClose (list :textDocument (onnxls-python--document)))
      (unless (remq (current-buffer) (onnxls-python--buffers onnxls-python--root))
        (remhash onnxls-python--root onnxls-python--connections)
        (ignore-errors
          (jsonrpc-request connection :shutdown nil :timeout 1)
          (jsonrpc-notify connection :exit nil))))))

;;;; Flymake, eldoc, xref, completion

(defun onnxls-python--flymake (report &rest _)
  "Call REPORT with the diagnostics, now and when there are others."
  (setq onnxls-python--report report)
  (onnxls-python--report-diagnostics))

(defun onnxls-python--report-diagnostics ()
  "Hand the diagnostics to flymake."
  (when onnxls-python--report
    (funcall onnxls-python--report
             (mapcar #'onnxls-python--flymake-diagnostic onnxls-python--diagnostics)
             :region (cons (point-min) (point-max)))))

(defun onnxls-python--flymake-diagnostic (diagnostic)
  "DIAGNOSTIC as flymake has them."
  (let* ((range (plist-get diagnostic :range))
         (start (onnxls-python--point (plist-get range :start)))
         (end (onnxls-python--point (plist-get range :end))))
    (flymake-make-diagnostic
     (current-buffer) start (max end (min (1+ start) (point-max)))
     (pcase (plist-get diagnostic :severity) (1 :error) (2 :warning) (_ :note))
     (format "%s [%s]" (plist-get diagnostic :message) (plist-get diagnostic :code)))))

(defun onnxls-python--eldoc (callback &rest _)
  "Call CALLBACK with the hover at point, if the server has one."
  (let ((connection (gethash onnxls-python--root onnxls-python--connections))
        (buffer (current-buffer)))
    (when (and connection (jsonrpc-running-p connection))
      (onnxls-python--send-changes)
      (jsonrpc-async-request
       connection :textDocument/hover (onnxls-python--here)
       :success-fn (lambda (answer)
                     (when (and answer (buffer-live-p buffer))
                       (funcall callback (plist-get (plist-get answer :contents) :value))))
       :error-fn #'ignore
       :timeout-fn #'ignore)
      t)))

(defun onnxls-python--locations (answer)
  "The locations in ANSWER as xref has them."
  (mapcar (lambda (location)
            (let* ((path (onnxls-python--path (plist-get location :uri)))
                   (start (plist-get (plist-get location :range) :start)))
              (xref-make (file-name-nondirectory path)
                         (xref-make-file-location path (1+ (plist-get start :line)) (plist-get start :character)))))
          (if (vectorp answer) answer (and answer (list answer)))))

(defun onnxls-python--xref-backend ()
  "Our backend, where the server knows a definition; else the next one is asked."
  (and (onnxls-python--locations (onnxls-python--ask :textDocument/definition (onnxls-python--here)))
       'onnxls-python))

(cl-defmethod xref-backend-identifier-at-point ((_backend (eql onnxls-python)))
  "What is at point, with its place."
  (propertize (or (thing-at-point 'symbol t) "") 'onnxls-place (onnxls-python--here)))

(cl-defmethod xref-backend-definitions ((_backend (eql onnxls-python)) identifier)
  "Where IDENTIFIER is defined."
  (onnxls-python--locations
   (onnxls-python--ask :textDocument/definition
                       (or (get-text-property 0 'onnxls-place identifier) (onnxls-python--here)))))

(cl-defmethod xref-backend-references ((_backend (eql onnxls-python)) identifier)
  "Where IDENTIFIER is used."
  (onnxls-python--locations
   (onnxls-python--ask :textDocument/references
                       (append (or (get-text-property 0 'onnxls-place identifier) (onnxls-python--here))
                               '(:context (:includeDeclaration t))))))

(cl-defmethod xref-backend-identifier-completion-table ((_backend (eql onnxls-python)))
  "Nothing to choose from."
  nil)

(defun onnxls-python--complete ()
  "Completions at point; nil where the server has none."
  (let* ((answer (onnxls-python--ask :textDocument/completion (onnxls-python--here)))
         (items (append (if (vectorp answer) answer (plist-get answer :items)) nil)))
    (when items
      (let* ((range (plist-get (plist-get (car items) :textEdit) :range))
             (texts (mapcar (lambda (item) (propertize (plist-get (plist-get item :textEdit) :newText) 'item item)) items))
             (detail (lambda (text) (plist-get (get-text-property 0 'item text) :detail))))
        (list (onnxls-python--point (plist-get range :start))
              (onnxls-python--point (plist-get range :end))
              texts
              :exclusive 'no
              :annotation-function (lambda (text) (let ((said (funcall detail text))) (and said (concat " " said)))))))))

;;;; Code actions

(defun onnxls-python--apply (edit)
  "Do the workspace EDIT; files are visited, not saved."
  (seq-doseq (change (plist-get edit :documentChanges))
    (let ((path (onnxls-python--path (or (plist-get change :uri) (plist-get (plist-get change :textDocument) :uri)))))
      (with-current-buffer (find-file-noselect path)
        (seq-doseq (one (seq-sort-by (lambda (one) (onnxls-python--point (plist-get (plist-get one :range) :start)))
                                     #'> (plist-get change :edits)))
          (let ((range (plist-get one :range)))
            (save-excursion
              (goto-char (onnxls-python--point (plist-get range :start)))
              (delete-region (point) (onnxls-python--point (plist-get range :end)))
              (insert (plist-get one :newText)))))))))

(defun onnxls-python--actions ()
  "The code actions at point."
  (let ((here (onnxls-python--position))
        (line-end (onnxls-python--position (line-end-position)))
        (line-start (onnxls-python--position (line-beginning-position))))
    (append (or (onnxls-python--ask :textDocument/codeAction
                                    (list :textDocument (onnxls-python--document)
                                          :range (list :start here :end here)
                                          :context '(:diagnostics [])))
                (onnxls-python--ask :textDocument/codeAction
                                    (list :textDocument (onnxls-python--document)
                                          :range (list :start line-start :end line-end)
                                          :context '(:diagnostics []))))
            nil)))

(defun onnxls-python-code-actions ()
  "Choose a fix for what is wrong at point, or in its line, and apply it."
  (interactive)
  (let* ((actions (or (onnxls-python--actions) (user-error "There is nothing to fix here")))
         (titles (mapcar (lambda (action) (plist-get action :title)) actions))
         (title (completing-read "Fix: " titles nil t nil nil (car titles)))
         (action (seq-find (lambda (action) (equal (plist-get action :title) title)) actions))
         (command (plist-get action :command)))
    (when (plist-get action :edit)
      (onnxls-python--apply (plist-get action :edit)))
    (when command
      (onnxls-python--ask :workspace/executeCommand
                          (list :command (plist-get command :command) :arguments (plist-get command :arguments))))
    (onnxls-python--send-changes)))

;;;; The mode

(defun onnxls-python--hooks (change)
  "Do CHANGE, `add-hook' or `remove-hook', with what the mode needs here."
  (let ((add (eq change #'add-hook)))
    (pcase-dolist (`(,hook ,function ,depth)
                   '((before-change-functions onnxls-python--before-change nil)
                     (after-change-functions onnxls-python--after-change nil)
                     (kill-buffer-hook onnxls-python--close nil)
                     (change-major-mode-hook onnxls-python--close nil)
                     (flymake-diagnostic-functions onnxls-python--flymake nil)
                     (eldoc-documentation-functions onnxls-python--eldoc nil)
                     (xref-backend-functions onnxls-python--xref-backend -50)
                     (completion-at-point-functions onnxls-python--complete -50)))
      (if add
          (add-hook hook function depth t)
        (remove-hook hook function t)))))

;;;###autoload
(define-minor-mode onnxls-python-mode
  "Problems, hovers, definitions and completions of symbolic functions.
The server comes beside any other that this buffer has."
  :lighter " onnxls"
  (cond
   ((not onnxls-python-mode)
    (onnxls-python--hooks #'remove-hook)
    (onnxls-python--close)
    (setq onnxls-python--diagnostics nil)
    (onnxls-python--report-diagnostics)
    (setq onnxls-python--report nil
          onnxls-python--root nil))
   (onnxls-python--root)  ; It was on.
   ((not buffer-file-name)
    (setq onnxls-python-mode nil)
    (user-error "The server needs a file"))
   (t
    (setq onnxls-python--root (onnxls-python--find-root))
    (condition-case problem
        (onnxls-python--open)
      (error
       (setq onnxls-python-mode nil
             onnxls-python--root nil)
       (signal (car problem) (cdr problem))))
    (onnxls-python--hooks #'add-hook)
    (flymake-mode 1)
    (flymake-start))))

(defun onnxls-python--look-again ()
  "Turn the mode on when a buffer is saved that mentions ONNX by now."
  (when (and (not onnxls-python-mode) (onnxls-python-relevant-p))
    (remove-hook 'after-save-hook #'onnxls-python--look-again t)
    (onnxls-python-mode 1)))

;;;###autoload
(defun onnxls-python-ensure ()
  "Turn on `onnxls-python-mode' if this buffer mentions ONNX, or once it does."
  (when (and buffer-file-name (not onnxls-python-mode))
    (if (onnxls-python-relevant-p)
        (onnxls-python-mode 1)
      (add-hook 'after-save-hook #'onnxls-python--look-again nil t))))

(provide 'onnxls-python)
;;; onnxls-python.el ends here
