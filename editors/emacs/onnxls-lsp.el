;;; onnxls-lsp.el --- A client of lsp-mode for onnxls  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Registers the server with lsp-mode and gives it the settings of this package.
;; It isn't compiled, because `lsp-mode' may come after this package.

;;; Code:

(require 'lsp-mode)
(require 'onnxls-mode)
(require 'onnxls-python)

;;;###autoload (eval-after-load 'lsp-mode '(require 'onnxls-lsp))

(defun onnxls-lsp--setting (name)
  "Return a function for the value of the setting NAME, a keyword."
  (lambda () (plist-get (onnxls-settings) name)))

(lsp-register-custom-settings
 (mapcar (pcase-lambda (`(,name . ,_))
           (list (concat "onnxls." (substring (symbol-name name) 1)) (onnxls-lsp--setting name)))
         onnxls-server-settings))

(pcase-dolist (`(,mode . ,id) onnxls-language-ids)
  (add-to-list 'lsp-language-id-configuration (cons mode id)))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection #'onnxls-command
                                        (lambda () (executable-find onnxls-server-program)))
  :major-modes (mapcar #'car onnxls-language-ids)
  :initialization-options (lambda () (or (onnxls-settings) (make-hash-table)))
  :server-id 'onnxls))

;; Beside the Python server, in buffers that mention ONNX.
(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection #'onnxls-command
                                        (lambda () (executable-find onnxls-server-program)))
  :activation-fn (lambda (_file mode)
                   (and (memq mode '(python-mode python-ts-mode))
                        (onnxls-python-relevant-p)))
  :add-on? t
  :custom-capabilities '((experimental . ((commands . ["onnxls.showReferences"]))))
  :action-handlers (lsp-ht ("onnxls.showReferences" #'onnxls-lsp--show-references)
                           ("" #'ignore))  ; A lens that is a text.
  :initialization-options (lambda () (or (onnxls-settings) (make-hash-table)))
  :server-id 'onnxls-python))

(defun onnxls-lsp--show-references (lens)
  "Show what LENS counts: a command whose arguments are a URI and a position."
  (let* ((arguments (lsp-get lens :arguments))
         (params (list :textDocument (list :uri (elt arguments 0))
                       :position (elt arguments 1)
                       :context '(:includeDeclaration :json-false)))
         ;; Of our server alone: the other one may know the function, too.
         (found (with-lsp-workspace (onnxls-lsp--workspace)
                  (lsp-request "textDocument/references" params))))
    (lsp-show-xrefs (lsp--locations-to-xref-items found) nil t)))

(defun onnxls-lsp--workspace ()
  "Our workspace among those of this buffer."
  (seq-find (lambda (workspace)
              (memq (lsp--workspace-server-id workspace) '(onnxls onnxls-python)))
            (lsp-workspaces)))

(defun onnxls-lsp-managed-p ()
  "Non-nil if `lsp-mode' has our server for this buffer."
  (and (onnxls-lsp--workspace) t))

(defun onnxls-lsp-configure ()
  "Tell the server of this buffer that its settings have changed."
  (with-lsp-workspace (onnxls-lsp--workspace)
    (lsp--set-configuration (lsp-configuration-section "onnxls")))
  (run-with-timer 0.3 nil #'onnxls-lsp--pull (onnxls-lsp--workspace)))

;; lsp-mode 10 asks for diagnostics only after edits, and ignores a server that wants to be asked.
(defun onnxls-lsp--pull (workspace)
  "Ask for the diagnostics of WORKSPACE again, where `lsp-mode' pulls them."
  (when (fboundp 'lsp-diagnostics--request-pull-diagnostics)
    (dolist (buffer (lsp--workspace-buffers workspace))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer
          (lsp-diagnostics--request-pull-diagnostics workspace))))))

(defun onnxls-lsp-ask (method)
  "What the server of this buffer answers to METHOD about it, as property lists."
  (onnxls--lists (with-lsp-workspace (onnxls-lsp--workspace)
                   (lsp-request method (list :textDocument (lsp--text-document-identifier))))))

(defun onnxls-lsp-restart ()
  "Start the server of this buffer again."
  (lsp-workspace-restart (onnxls-lsp--workspace)))

(provide 'onnxls-lsp)
;;; onnxls-lsp.el ends here
