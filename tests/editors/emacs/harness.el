;;; harness.el --- What every test of the Emacs package needs  -*- lexical-binding: t; -*-

;;; Commentary:

;; A test prints one line of JSON; run.mjs reads it.  ONNXLS_TEST names the
;; file of inputs.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'flymake)
(require 'imenu)
(require 'json)
(require 'onnxls-mode)
(require 'onnxls-ts-mode)
(require 'xref)

(defun t-read (file)
  "The JSON in FILE, objects as alists and arrays as lists."
  (let ((json-array-type 'list))
    (json-read-file file)))

(defvar t-given (t-read (getenv "ONNXLS_TEST")))
(defvar t-expected (t-read (alist-get 'expected t-given)))

(defun t-want (&rest path)
  "What expected.json has at PATH, symbols or file names."
  (let ((value t-expected))
    (dolist (key path value)
      (setq value (alist-get (if (stringp key) (intern key) key) value)))))

(defconst t-patience 300 "Seconds after which something hangs, however busy the machine is.")

(defmacro t-until (what &rest body)
  "Wait until BODY is non-nil; WHAT names it in the failure."
  `(t-await ,what (lambda () ,@body)))

(defun t-await (what condition)
  "Wait until CONDITION holds; WHAT names it in the failure."
  (let ((end (+ (float-time) t-patience))
        value)
    (while (and (not (setq value (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.005))
    (or value (error "Waited in vain for %s" what))))

(defun t-equal (got wanted what)
  "Fail unless GOT is WANTED; WHAT names it."
  (unless (equal got wanted)
    (error "%s: got %S, expected %S" what got wanted)))

(defun t-has (text words what)
  "Fail unless TEXT has each of WORDS; WHAT names it."
  (dolist (word words)
    (unless (string-match-p (regexp-quote word) text)
      (error "%s: %S lacks %S" what text word))))

(defun t-print (feature result ms note)
  "Print the line for FEATURE: RESULT, MS and NOTE."
  (princ (concat "\n{\"feature\":" (json-encode feature) ",\"result\":\"" result "\""
                 ",\"ms\":" (format "%.1f" ms)
                 (if note (concat ",\"note\":" (json-encode note)) "") "}\n")))

(defun t-run (feature body)
  "Run BODY and print what became of it; a number that it returns is its time in ms."
  (when (or (not (alist-get 'only t-given)) (string-match-p (regexp-quote (alist-get 'only t-given)) feature))
    (let ((start (float-time)))
      (condition-case problem
          (let ((value (funcall body)))
            (if (eq value 'absent)
                (t-print feature "absent" 0 nil)
              (t-print feature "passed" (if (floatp value) value (* 1000 (- (float-time) start))) nil)))
        (error (t-print feature "failed" 0 (error-message-string problem)))))))

(defmacro t-test (feature &rest body)
  "The test called FEATURE: BODY fails by an error."
  (declare (indent 1))
  `(t-run ,feature (lambda () ,@body)))

(defun t-ms-since (start)
  "Milliseconds since START, which `float-time' gave."
  (* 1000.0 (- (float-time) start)))

(defun t-open (name)
  "Visit the document NAME of the project and make its buffer current."
  (switch-to-buffer (find-file-noselect (expand-file-name name (alist-get 'project t-given)))))

(defun t-go (line column)
  "Go to LINE and COLUMN, both from 1."
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char (1- column)))

(defun t-place (position)
  "Line and column of POSITION."
  (save-excursion
    (goto-char position)
    (list (line-number-at-pos) (1+ (- position (line-beginning-position))))))

(setq large-file-warning-threshold nil
      create-lockfiles nil
      make-backup-files nil
      enable-local-variables nil
      inhibit-message t)

;; Watched files make events for the command loop, which batch has not; while they wait, Emacs notices no process that ends.
(advice-add 'file-notify-add-watch :override (lambda (&rest _) 'none))

(provide 'harness)
;;; harness.el ends here
