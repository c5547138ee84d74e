;;; onnxls-eglot.el --- Eglot for onnxls  -*- lexical-binding: t; no-byte-compile: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Registers the server with eglot and gives it the settings of this package.
;; What `eglot-workspace-configuration' says under :onnxls goes before them.
;; It isn't compiled, because eglot may come after this package.

;;; Code:

(require 'eglot)
(require 'onnxls-mode)

;;;###autoload (eval-after-load 'eglot '(require 'onnxls-eglot))

(defclass onnxls-eglot-server (eglot-lsp-server) ()
  :documentation "The server onnxls.")

(cl-defmethod eglot-initialization-options ((_server onnxls-eglot-server))
  "Our settings, for the time until the server has asked for them."
  (or (onnxls-settings) (make-hash-table)))

(defun onnxls-eglot--merge (theirs ours)
  "The property list OURS with what THEIRS has in its place."
  (let ((merged (copy-sequence ours)))
    (while theirs
      (setq merged (plist-put merged (car theirs) (cadr theirs))
            theirs (cddr theirs)))
    (or merged (make-hash-table))))

(cl-defmethod eglot-handle-request :around
  ((_server onnxls-eglot-server) (_method (eql workspace/configuration)) &key items)
  "Add our settings to the answer for each of ITEMS that is about us."
  (let ((answers (cl-call-next-method))
        (i -1))
    (vconcat (mapcar (lambda (answer)
                       (setq i (1+ i))
                       (if (and (equal (plist-get (elt items i) :section) "onnxls")
                                (listp answer))
                           (onnxls-eglot--merge answer (onnxls-settings))
                         answer))
                     answers))))

;; Diagnostics come after each edit and when settings change, also when there are none.
(cl-defmethod eglot-handle-notification :after
  ((server onnxls-eglot-server) (_method (eql textDocument/publishDiagnostics)) &key uri &allow-other-keys)
  "Ask SERVER what its answer about URI is worth."
  (let* ((to-path (if (fboundp 'eglot-uri-to-path) 'eglot-uri-to-path 'eglot--uri-to-path))
         (buffer (find-buffer-visiting (funcall to-path uri))))
    (when buffer
      (jsonrpc-async-request server :onnxls/status (list :textDocument (list :uri uri))
                             :success-fn (lambda (answer) (onnxls-show-status buffer answer))
                             :error-fn #'ignore))))

(defun onnxls-eglot-contact (&optional _interactive _project)
  "How eglot reaches the server."
  (cons 'onnxls-eglot-server (onnxls-command)))

(add-to-list 'eglot-server-programs
             (cons (mapcar #'car onnxls-language-ids) #'onnxls-eglot-contact))
(pcase-dolist (`(,mode . ,id) onnxls-language-ids)
  (put mode 'eglot-language-id id))

;; The server reads .onnxls.json at the root that it is given.
(defun onnxls-eglot-project (directory)
  "The project of .onnxls.json above DIRECTORY, when eglot asks about a graph."
  (let ((root (and (bound-and-true-p eglot-lsp-context)
                   (derived-mode-p 'onnxls-mode)
                   (locate-dominating-file directory ".onnxls.json"))))
    (and root (cons 'transient root))))
(add-hook 'project-find-functions #'onnxls-eglot-project)

(defun onnxls-eglot-managed-p ()
  "Non-nil if eglot has our server for this buffer."
  (let ((server (eglot-current-server)))
    (and server (object-of-class-p server 'onnxls-eglot-server))))

(defun onnxls-eglot-configure ()
  "Tell the server of this buffer that its settings have changed."
  (eglot-signal-didChangeConfiguration (eglot-current-server)))

(defun onnxls-eglot-ask (method)
  "What the server of this buffer answers to METHOD about it, as property lists."
  (eglot--signal-textDocument/didChange)
  (let ((uri (plist-get (eglot--TextDocumentIdentifier) :uri)))
    (onnxls--lists (jsonrpc-request (eglot-current-server) (intern (concat ":" method))
                                    (list :textDocument (list :uri uri))))))

(defun onnxls-eglot-restart ()
  "Start the server of this buffer again."
  (eglot-reconnect (eglot-current-server) t))

(provide 'onnxls-eglot)
;;; onnxls-eglot.el ends here
