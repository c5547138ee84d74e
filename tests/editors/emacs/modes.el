;;; modes.el --- Tests of the modes, without a server, and of the package  -*- lexical-binding: t; -*-

;;; Code:

(require 'harness)

(defun t-file-type ()
  "What expected.json calls this buffer's mode."
  (or (cdr (assq major-mode onnxls-language-ids)) ""))

(t-test "filetype"
  (dolist (entry (t-want 'filetypes))
    (t-open (symbol-name (car entry)))
    (t-equal (t-file-type) (cdr entry) (symbol-name (car entry)))))

(defun t-face (line column)
  "The face at LINE and COLUMN."
  (t-go line column)
  (let ((face (get-text-property (point) 'face)))
    (if (consp face) (car face) face)))

(t-test "syntax"
  (t-open "branches.torchir")
  (font-lock-ensure)
  (t-equal (t-face 24 11) 'font-lock-variable-name-face "a value")
  (t-equal (t-face 24 33) 'font-lock-function-name-face "an operator")
  (t-equal (t-face 5 8) 'font-lock-type-face "a type")
  (t-equal (t-face 8 5) 'font-lock-builtin-face "a block")
  (t-equal (t-face 1 1) 'font-lock-keyword-face "graph")
  (t-equal (t-face 9 89) 'font-lock-variable-name-face "an attribute")
  (t-equal (t-face 9 94) 'font-lock-string-face "a string")
  (t-equal (t-face 24 75) 'font-lock-comment-face "a source location")
  (goto-char (point-min))
  (let ((inhibit-read-only t))
    (comment-region (point-min) (line-end-position))
    (t-equal (buffer-substring (point-min) (+ (point-min) 8)) "# graph(" "a comment")
    (uncomment-region (point-min) (line-end-position))
    (set-buffer-modified-p nil)))

(t-test "imenu"
  (t-open "branches.torchir")
  (let ((index (funcall imenu-create-index-function)))
    (t-equal (sort (mapcar #'car index) #'string<) '("Blocks" "Graphs" "Operators") "groups")
    (t-equal (length (cdr (assoc "Blocks" index))) 4 "blocks")))

(defun t-documented-settings ()
  "The names in docs/settings.md."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../../docs/settings.md" (alist-get 'package t-given)))
    (let (names)
      (while (re-search-forward "^| `\\([[:alpha:]]+\\)` |" nil t)
        (push (concat ":" (match-string 1)) names))
      (sort names #'string<))))

(t-test "options"
  (t-equal (onnxls-settings) nil "options that nobody has set")
  (let ((onnxls-torch "2.6") (onnxls-exporter "dynamo") (onnxls-opset 18)
        (onnxls-runtime "onnxruntime 1.21") (onnxls-rules '(("unused-value" . "off"))) (onnxls-group 'yes)
        (onnxls-max-diagnostics 0) (onnxls-db '("/facts.json")) (onnxls-inlay-hints '(("opset") ("inputNames" . t)))
        (onnxls-source-roots '("/src")) (onnxls-path-mappings '(("/there" . "/here"))) (onnxls-workspace-index 'no))
    (let ((settings (onnxls-settings)))
      (t-equal (sort (cl-loop for name in settings by #'cddr collect (symbol-name name)) #'string<) (t-documented-settings) "names")
      (t-equal (json-read-from-string (json-serialize settings :false-object :json-false))
               '((torch . "2.6") (exporter . "dynamo") (opset . 18) (runtime . "onnxruntime 1.21")
                 (rules (unused-value . "off")) (group . t) (maxDiagnostics . 0)
                 (db . ["/facts.json"]) (inlayHints (opset . :json-false) (inputNames . t)) (sourceRoots . ["/src"])
                 (pathMappings . [((from . "/there") (to . "/here"))]) (workspaceIndex . :json-false))
               "settings"))))

(t-test "parser"
  (if (not (and (fboundp 'treesit-available-p) (treesit-available-p)
                (seq-some #'executable-find '("cc" "gcc" "clang"))))
      'absent
    (onnxls-build-parser (alist-get 'grammar t-given))
    (with-temp-buffer
      (insert-file-contents (expand-file-name "branches.torchir" (alist-get 'project t-given)))
      (onnxls-ts-mode)
      (t-equal (and (treesit-parser-list) t) t "a parser")
      (font-lock-ensure)
      (t-equal (t-face 24 11) 'font-lock-variable-name-face "a value")
      (t-equal (t-face 24 33) 'font-lock-function-name-face "an operator")
      (t-equal (t-face 9 94) 'font-lock-string-face "a string"))))

(defun t-sources ()
  "The files of the package."
  (directory-files (alist-get 'package t-given) t "\\.el\\'"))

(t-test "byte-compile"
  (let ((byte-compile-error-on-warn t))
    (dolist (file (t-sources))
      (let ((copy (expand-file-name (file-name-nondirectory file) (getenv "HOME"))))
        ;; Those that package.el is not to compile are clean, too.
        (with-temp-file copy
          (insert-file-contents file)
          (when (search-forward "no-byte-compile: t; " (line-end-position) t)
            (replace-match "")))
        (unless (or (byte-compile-file copy)
                    (and (string-suffix-p "-lsp.el" file) (not (locate-library "lsp-mode"))))
          (error "%s: %s" file (with-current-buffer "*Compile-Log*" (buffer-string))))))))

(t-test "checkdoc"
  (require 'checkdoc)
  (let ((problems nil))
    (cl-letf (((symbol-function 'warn) (lambda (format &rest words) (push (apply #'format format words) problems))))
      (dolist (file (t-sources))
        (checkdoc-file file)))
    (when problems
      (error "%s" (string-join problems)))))

(t-test "package-lint"
  (if (not (require 'package-lint nil t))
      'absent
    (dolist (file (t-sources))
      (with-temp-buffer
        (insert-file-contents file t)
        (emacs-lisp-mode)
        (let* ((package-lint-main-file (expand-file-name "onnxls.el" (alist-get 'package t-given)))
               (problems (package-lint-buffer)))
          (set-buffer-modified-p nil)
          (when problems
            (error "%s: %S" file problems)))))))

(defun t-other-emacs (form)
  "What a fresh Emacs prints that has only our installed package and evaluates FORM."
  (with-temp-buffer
    (let* ((setup `(progn (setq package-user-dir ,(t-package-folder)) (package-initialize)))
           (command (append (alist-get 'command t-given)
                            (list "-Q" "--batch" "--eval" (prin1-to-string setup)
                                  "--eval" (prin1-to-string `(princ ,form))))))
      (apply #'call-process (car command) nil '(t nil) nil (cdr command))
      (buffer-string))))

(defun t-package-folder ()
  "Where package.el installs here."
  (expand-file-name "elpa" (getenv "HOME")))

(t-test "package"
  (require 'package)
  (let ((package-user-dir (t-package-folder)))
    (package-install-file (alist-get 'package t-given)))
  (t-equal (t-other-emacs `(progn (find-file ,(expand-file-name "llama.txt" (alist-get 'project t-given)))

                                  (require 'eglot nil t)
                                  (list major-mode (eq (featurep 'eglot) (featurep 'onnxls-eglot))
                                        (commandp 'onnxls-ensure))))
           "(onnxls-mode t t)" "a dump after an installation"))

(provide 'modes)
;;; modes.el ends here
