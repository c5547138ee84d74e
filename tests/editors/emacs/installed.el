;;; installed.el --- A hover in an Emacs that somebody has just set up  -*- lexical-binding: t; -*-

;;; Commentary:

;; The init file of a new user: the line of docs/editors/emacs.md, and after it
;; a timer that moves the cursor to an operator, reads what eldoc shows, writes
;; it to the file that ONNXLS_RESULTS names, and ends Emacs.

;;; Code:

(add-hook 'onnxls-mode-hook #'onnxls-ensure)

(setq inhibit-startup-screen t
      eldoc-idle-delay 0.1)

(defun t-write (text)
  "Write TEXT where the test looks for it."
  (with-temp-file (getenv "ONNXLS_RESULTS")
    (insert text)))

(defun t-look ()
  "Write what eldoc shows for the operator, once it shows it."
  (with-current-buffer (window-buffer)
    (goto-char (point-min))
    (forward-line (1- (string-to-number (getenv "ONNXLS_LINE"))))
    (forward-char (1- (string-to-number (getenv "ONNXLS_COLUMN"))))
    (eldoc-print-current-symbol-info)
    (let ((shown (seq-find (lambda (buffer) (string-match-p "\\*eldoc" (buffer-name buffer))) (buffer-list))))
      (when (and shown (string-match-p (getenv "ONNXLS_WANTED") (with-current-buffer shown (buffer-string))))
        (t-write (format "%s\n%s" major-mode (with-current-buffer shown (buffer-string))))
        (kill-emacs 0)))))

(run-with-timer 1 0.3 #'t-look)
(run-with-timer 40 nil (lambda ()
                         (t-write (format "%s\nno hover: %s" major-mode (buffer-string)))
                         (kill-emacs 1)))
;;; installed.el ends here
