;;; lsp-python.el --- More of the add-on of lsp-mode in Python buffers  -*- lexical-binding: t; -*-

;;; Commentary:

;; After with-lsp.el, which has set up a Python server that the add-on is beside.

;;; Code:

(require 'harness)
(require 'lsp-lens)

(defun t-lens ()
  "The lens of the symbolic function as it is shown."
  (t-go (t-python 'lens 'line) 1)
  (seq-some (lambda (overlay)
              (let ((text (or (overlay-get overlay 'after-string) (overlay-get overlay 'before-string) "")))
                (and (string-match-p (regexp-quote (t-python 'lens 'has)) text) text)))
            (overlays-in (line-beginning-position 0) (line-end-position 2))))

(defun t-shown-by (text)
  "The xref items that a click on a lens in TEXT shows; the other server has one that is only a text."
  (catch 'shown
    (let ((xref-show-xrefs-function (lambda (fetcher _alist) (throw 'shown (funcall fetcher))))
          (start 0))
      (while (string-match (regexp-quote (t-python 'lens 'uses)) text start)
        (setq start (match-end 0))
        (call-interactively (get-text-property (match-beginning 0) 'action text))))))

(t-test "Python: uses of a lens"
  (t-python-open (t-python 'document) '(onnxls-python other))
  (lsp-lens-mode 1)
  (let ((shown (t-until "a lens that shows uses"  ; The dumps are read in the background.
                 (lsp-lens-refresh t)
                 (accept-process-output nil 0.1)
                 (t-shown-by (or (t-lens) "")))))
    (lsp-lens-mode -1)
    (t-equal (sort (mapcar (lambda (item)
                             (let ((marker (xref-location-marker (xref-item-location item))))
                               (with-current-buffer (marker-buffer marker)
                                 (apply #'format "%s:%d:%d" (file-name-nondirectory buffer-file-name) (t-place marker)))))
                           shown)
                   #'string<)
             (t-python 'lens 'at) "uses")))

(t-test "Python: killed server"
  (t-python-open (t-python 'document) '(onnxls-python other))
  (t-until "the diagnostic" (t-python-diagnostics))
  (goto-char (point-max))
  (insert (t-python 'mistake) "\n")
  (t-send-changes)
  (t-until "a diagnostic of unsaved text" (= (length (t-python-diagnostics)) 2))
  (let* ((workspace (onnxls-lsp--workspace))
         (process (lsp--workspace-cmd-proc workspace))
         (start (float-time)))
    (signal-process process 'SIGKILL)
    (t-until "a new server"
      (let ((now (onnxls-lsp--workspace)))
        (and now (not (eq (lsp--workspace-cmd-proc now) process)) (eq 'initialized (lsp--workspace-status now)))))
    (flymake-mode 1)
    (t-until "the diagnostics again"
      (flymake-start)
      (= (length (t-python-diagnostics)) 2))
    (prog1 (t-ms-since start)
      (revert-buffer t t t))))

;;; lsp-python.el ends here
