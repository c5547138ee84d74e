;;; with-python.el --- Symbolic functions by onnxls-python-mode  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)
(require 'onnxls-python)

(defun t-python (&rest path)
  "What expected.json says of Python at PATH."
  (apply #'t-want 'python path))

(defun t-python-open (&optional name)
  "Visit the Python document, or NAME, as somebody who has the hook."
  (t-open (or name (t-python 'document)))
  (onnxls-python-ensure))

(defun t-python-go (key)
  "Go to the place that expected.json has under KEY."
  (t-go (t-python key 'line) (t-python key 'column)))

(defun t-python-eldoc ()
  "What our function says to eldoc at point."
  (let (text)
    (onnxls-python--eldoc (lambda (string &rest _) (setq text string)))
    (t-until "eldoc" text)))

(defun t-python-has-diagnostic ()
  "Our diagnostic in this buffer, once it is there."
  (t-until "the diagnostic"
    (flymake-start)
    (seq-find (lambda (one) (string-match-p (t-python 'diagnostic 'rule) (flymake-diagnostic-text one)))
              (flymake-diagnostics))))

(t-test "Python: diagnostics"
  (t-python-open)
  (let ((found (t-python-has-diagnostic)))
    (t-equal (t-place (flymake-diagnostic-beg found))
             (list (t-python 'diagnostic 'line) (t-python 'diagnostic 'column)) "place")
    (t-has (flymake-diagnostic-text found) (list (t-python 'diagnostic 'has)) "text")
    (t-equal (length (flymake-diagnostics)) 1 "diagnostics")))

(t-test "Python: hover, completion, definition"
  (t-python-open)
  (t-python-go 'hover)
  (t-has (t-python-eldoc) (t-python 'hover 'has) "eldoc")
  (t-python-go 'completion)
  (let ((table (run-hook-with-args-until-success 'completion-at-point-functions)))
    (t-equal (and (member (t-python 'completion 'label) (all-completions "" (nth 2 table))) t) t "completion"))
  (t-python-go 'definition)
  (t-equal (xref-find-backend) 'onnxls-python "backend")
  (let* ((items (xref-backend-definitions 'onnxls-python (xref-backend-identifier-at-point 'onnxls-python)))
         (marker (xref-location-marker (xref-item-location (car items)))))
    (t-equal (with-current-buffer (marker-buffer marker) (t-place marker))
             (list (t-python 'definition 'to 'line) (t-python 'definition 'to 'column)) "definition"))
  ;; Where we know nothing, others are asked.
  (t-go 21 1)
  (t-equal (eq (xref-find-backend) 'onnxls-python) nil "backend of an ordinary line"))

(t-test "Python: code action"
  (t-python-open)
  (t-python-has-diagnostic)
  (t-python-go 'diagnostic)
  (cl-letf (((symbol-function 'completing-read) (lambda (_prompt titles &rest _)
                                                  (t-has (format "%S" titles) (list (t-python 'action 'title)) "titles")
                                                  (t-python 'action 'title))))
    (onnxls-python-code-actions))
  (t-equal (buffer-substring-no-properties (line-beginning-position) (line-end-position)) (t-python 'action 'text) "line")
  (t-until "no diagnostic" (null (flymake-diagnostics)))
  (revert-buffer t t t)
  (onnxls-python-ensure)
  (t-python-has-diagnostic)
  ;; After a change in the middle, everything has its place: what was sent is what is there.
  (t-go 3 1)
  (insert "# \N{GRINNING FACE} a line more\n")
  (onnxls-python--send-changes)
  (t-until "the place after an edit"
    (equal (mapcar (lambda (one) (car (t-place (flymake-diagnostic-beg one)))) (flymake-diagnostics))
           (list (1+ (t-python 'diagnostic 'line)))))
  (revert-buffer t t t))

(t-test "Python: ordinary files"
  (t-python-open (t-python 'ordinary))
  (t-equal onnxls-python-mode nil "the mode in an ordinary file")
  (let ((text (buffer-string)))
    (goto-char (point-max))
    (insert (t-python 'becomes) "\n" (t-python 'mistake) "\n")
    (save-buffer)
    (t-equal onnxls-python-mode t "the mode after saving")
    (t-python-has-diagnostic)
    (onnxls-python-mode -1)
    (t-equal (flymake-diagnostics) nil "diagnostics without the mode")
    (erase-buffer)
    (insert text)
    (save-buffer)))

(t-test "Python: killed server"
  (t-python-open)
  (t-python-has-diagnostic)
  (goto-char (point-max))
  (insert (t-python 'mistake) "\n")
  (onnxls-python--send-changes)
  (t-until "a diagnostic of unsaved text" (= (length (flymake-diagnostics)) 2))
  (let ((connection (onnxls-python--connection))
        (start (float-time)))
    (setq onnxls-python--diagnostics nil)
    (signal-process (jsonrpc--process connection) 'SIGKILL)
    (t-until "a new server"
      (let ((now (gethash onnxls-python--root onnxls-python--connections)))
        (and now (not (eq now connection)))))
    (t-until "the diagnostics again"
      (flymake-start)
      (= (length (flymake-diagnostics)) 2))
    (prog1 (t-ms-since start)
      (revert-buffer t t t))))

;;; with-python.el ends here
