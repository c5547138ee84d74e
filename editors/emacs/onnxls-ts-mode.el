;;; onnxls-ts-mode.el --- Torch IR by tree-sitter  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For Emacs 29 and later.  `onnxls-build-parser' compiles the grammar; then
;;
;;   (add-to-list 'major-mode-remap-alist '(onnxls-mode . onnxls-ts-mode))
;;
;; takes this mode wherever `onnxls-mode' would come.

;;; Code:

(require 'onnxls-mode)
(require 'treesit nil t)

(declare-function treesit-font-lock-rules "treesit" (&rest query-specs))
(declare-function treesit-major-mode-setup "treesit" ())
(declare-function treesit-parser-create "treesit.c")
(declare-function treesit-ready-p "treesit" (language &optional quiet))

(defvar treesit-font-lock-settings)
(defvar treesit-font-lock-feature-list)

(defcustom onnxls-grammar-directory
  (expand-file-name "../../grammar/torch-ir"
                    (file-name-directory (file-truename (or load-file-name buffer-file-name ""))))
  "Where the grammar lies; in a checkout of onnxls, grammar/torch-ir."
  :group 'onnxls
  :type 'directory)

(defun onnxls-ts--font-lock-rules ()
  "The colours, by feature."
  (treesit-font-lock-rules
   :language 'torch-ir :feature 'comment
   '([(comment) (source_location) (log_prefix)] @font-lock-comment-face)
   :language 'torch-ir :feature 'keyword
   '(["graph" "with" "return"] @font-lock-keyword-face
     (block_name) @font-lock-builtin-face
     ((op_kind) @font-lock-keyword-face (:match "\\`\\(?:prim\\|onnx\\)::\\(?:If\\|Loop\\)\\'" @font-lock-keyword-face)))
   :language 'torch-ir :feature 'definition
   '((definition name: (value_name) @font-lock-variable-name-face)
     (parameter name: (value_name) @font-lock-variable-name-face)
     (graph_name) @font-lock-function-name-face)
   :language 'torch-ir :feature 'type
   '((type) @font-lock-type-face)
   :language 'torch-ir :feature 'function
   '((statement operator: (op_kind) @font-lock-function-name-face)
     (statement operator: (python_op) @font-lock-function-name-face))
   :language 'torch-ir :feature 'string
   '(((attribute_value) @font-lock-string-face (:match "\\`[\"']" @font-lock-string-face)))
   :language 'torch-ir :feature 'attribute
   '((attribute_name) @font-lock-variable-name-face
     (attribute_value) @font-lock-constant-face)
   :language 'torch-ir :feature 'variable
   '((value_ref) @font-lock-variable-name-face)
   :language 'torch-ir :feature 'scope
   '((scope) @font-lock-doc-face)))

;;;###autoload
(define-derived-mode onnxls-ts-mode onnxls-mode "Torch IR"
  "Major mode for TorchScript IR, coloured by tree-sitter if it can be."
  (when (and (fboundp 'treesit-ready-p)
             (treesit-ready-p 'torch-ir))
    (when (fboundp 'treesit-parser-create)
      (treesit-parser-create 'torch-ir))
    (setq-local font-lock-defaults nil
                treesit-font-lock-settings (onnxls-ts--font-lock-rules)
                treesit-font-lock-feature-list
                '((comment definition) (keyword string type) (function attribute) (variable scope)))
    (when (fboundp 'treesit-major-mode-setup)
      (treesit-major-mode-setup))))

;;;###autoload
(defun onnxls-build-parser (&optional directory)
  "Compile the grammar in DIRECTORY, or in `onnxls-grammar-directory'."
  (interactive
   (list (unless (file-directory-p onnxls-grammar-directory)
           (read-directory-name "Grammar (grammar/torch-ir of a checkout): "))))
  (let* ((sources (expand-file-name "src" (or directory onnxls-grammar-directory)))
         (compiler (seq-find #'executable-find (delq nil (list (getenv "CC") "cc" "gcc" "clang"))))
         (target (expand-file-name (concat "tree-sitter/libtree-sitter-torch-ir" module-file-suffix)
                                   user-emacs-directory))
         (log (get-buffer-create "*onnxls parser*")))
    (unless (file-readable-p (expand-file-name "parser.c" sources))
      (user-error "There is no grammar in %s; set `onnxls-grammar-directory'" sources))
    (unless compiler
      (user-error "No C compiler found (cc, gcc, clang or $CC)"))
    (make-directory (file-name-directory target) t)
    (unless (eq 0 (call-process compiler nil log nil "-O2" "-std=c11" "-shared" "-fPIC" "-I" sources
                                "-o" (concat target ".new")
                                (expand-file-name "parser.c" sources) (expand-file-name "scanner.c" sources)))
      (pop-to-buffer log)
      (user-error "The parser could not be built"))
    (rename-file (concat target ".new") target t)
    (message "Built %s" target)))

(provide 'onnxls-ts-mode)
;;; onnxls-ts-mode.el ends here
