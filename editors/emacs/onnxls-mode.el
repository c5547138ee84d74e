;;; onnxls-mode.el --- Major modes for exported graphs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `onnxls-mode' is for TorchScript IR, in files of any name that begin like a
;; dump.  Its relatives only say what a file is, so that the server is asked.

;;; Code:

(require 'onnxls)

(defconst onnxls--sniff-limit 8000
  "How many characters from a file's beginning are looked at.")

(defconst onnxls--signs
  `((onnxls-mode
     . ,(concat "graph(%"                                              ; after a log's prefix, too
                "\\|^[ \t]*%[[:alnum:]_.]+[^\n]* = ^?[[:alnum:]_]+::[[:alnum:]_.]+[[(]"
                "\\|^[ \t]*%[^][ \t\n]+\\[[A-Z]+[0-9]*, [^]\n]+\\]"))  ; printable_graph
    (onnxls-fx-mode
     . ,(concat "\\[\\(?:num_\\|#\\)users=[0-9]\\|^class GraphModule(torch\\.nn\\.Module)\\|^ExportedProgram:"
                "\\| = torch\\.ops\\.[[:alnum:]_]+\\.[[:alnum:]_]+\\.[[:alnum:]_]+("))
    (onnxls-onnx-text-mode . "^[ \t]*<?[ \t]*ir_version: [0-9]+[,>]")
    (onnxls-onnx-ir-mode . "^[ \t]*<?[ \t]*ir_version=[0-9]+,"))
  "What gives a text away, by mode.")

(defun onnxls--sniff ()
  "The mode whose sign comes first in this buffer, or nil."
  (let ((limit (min (point-max) (+ (point-min) onnxls--sniff-limit)))
        best)
    (dolist (sign onnxls--signs)
      (save-excursion
        (goto-char (point-min))
        (when (and (re-search-forward (cdr sign) limit t)
                   (or (null best) (< (match-beginning 0) (cdr best))))
          (setq best (cons (car sign) (match-beginning 0))))))
    (car best)))

(defun onnxls--worth-sniffing-p ()
  "Non-nil if the content of this buffer can't be known by its file name."
  (and buffer-file-name
       (member (file-name-extension buffer-file-name) '(nil "txt" "log" "out" "fx"))))

;; These run for each file that is visited: the name is looked at first.

;;;###autoload
(defun onnxls-mode-p ()
  "Non-nil for TorchScript IR under a name that is not ours."
  (and (onnxls--worth-sniffing-p) (eq (onnxls--sniff) 'onnxls-mode)))

;;;###autoload
(defun onnxls-relative-p ()
  "Non-nil for another kind of graph under a name that is not ours."
  (and (onnxls--worth-sniffing-p)
       (memq (onnxls--sniff) '(onnxls-fx-mode onnxls-onnx-text-mode onnxls-onnx-ir-mode))))

;;;###autoload
(defun onnxls-relative-mode ()
  "Turn on the mode for the graph in this buffer."
  (interactive)
  (funcall (or (onnxls--sniff) 'onnxls-mode)))

;;;; Colours without a server

(defvar onnxls-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (dolist (character '(?% ?_ ?. ?:))  ; %x.1 and aten::add are one symbol each
      (modify-syntax-entry character "_" table))
    table)
  "Syntax of graphs.")

(defvar onnxls-font-lock-keywords
  `(("%[^] \t\n,():=[]+" . font-lock-variable-name-face)
    ("\\_<prim::\\(?:If\\|Loop\\)\\_>" . font-lock-keyword-face)
    ("\\_<\\([[:alpha:]_][[:alnum:]_]*::\\)\\([[:alnum:]_.]+\\)"
     (1 font-lock-constant-face) (2 font-lock-function-name-face))
    ("\\^[[:alpha:]_][[:alnum:]_.]*" . font-lock-function-name-face)
    ("\\(?:^\\|[ \t]\\)\\(graph\\)(" 1 font-lock-keyword-face)
    (,(rx line-start (* blank) (group (or "return" "with" "->"))) 1 font-lock-keyword-face)
    ("^[ \t]*\\(block[0-9]+\\)(" 1 font-lock-builtin-face)
    (,(rx symbol-start (or "Tensor" "int" "float" "bool" "str" "complex" "NoneType" "Device" "Scalar")
          symbol-end (? "[]"))
     . font-lock-type-face)
    (,(rx symbol-start (group (? "Complex") (or "Float" "Double" "Half" "BFloat16" "Long" "Int" "Short" "Byte"
                                                "Char" "Bool"))
          "(")
     1 font-lock-type-face)
    ("\\_<__torch__[[:alnum:]_.]*" . font-lock-type-face)
    ("[[,][ \t]*\\([[:alpha:]_][[:alnum:]_]*\\)[ \t]*=" 1 font-lock-variable-name-face)
    (", scope: \\([^#\n]*\\)" 1 font-lock-doc-face))
  "Colours of `onnxls-mode'.")

(defvar onnxls-imenu-generic-expression
  '(("Graphs" "^.*\\_<\\(graph\\)(" 1)
    ("Blocks" "^[ \t]*\\(block[0-9]+\\)(" 1)
    ("Operators" "^[ \t]*%[^=\n]* = \\(\\^?[[:alnum:]_]+\\(?:::[[:alnum:]_.]+\\)?\\)[[(]" 1))
  "Index of `onnxls-mode' where no server makes a better one.")

;;;; Modes

;;;###autoload
(define-derived-mode onnxls-mode prog-mode "Torch IR"
  "Major mode for TorchScript IR, as PyTorch and its ONNX exporter print it."
  (setq-local comment-start "# "
              comment-start-skip "#+[ \t]*"
              comment-end ""
              truncate-lines t
              mode-line-process '("" onnxls-status)
              indent-line-function #'indent-relative-first-indent-point
              imenu-generic-expression onnxls-imenu-generic-expression
              ;; Strings may hold anything but a line break, and a dump may be cut off inside one.
              font-lock-multiline nil
              font-lock-defaults '(onnxls-font-lock-keywords)))

;;;###autoload
(define-derived-mode onnxls-fx-mode onnxls-mode "FX graph"
  "Major mode for FX graphs and exported programs.")

;;;###autoload
(define-derived-mode onnxls-onnx-text-mode onnxls-mode "ONNX text"
  "Major mode for the textual syntax of ONNX.")

;;;###autoload
(define-derived-mode onnxls-onnx-ir-mode onnxls-mode "ONNX IR"
  "Major mode for what onnx_ir prints.")

(defconst onnxls-language-ids
  '((onnxls-mode . "torch-ir")
    (onnxls-ts-mode . "torch-ir")
    (onnxls-fx-mode . "fx-graph")
    (onnxls-onnx-text-mode . "onnx-text")
    (onnxls-onnx-ir-mode . "onnx-ir"))
  "What the server calls our modes.")

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.\\(?:torchir\\|tsir\\|graph\\.txt\\)\\'" . onnxls-mode))
  (add-to-list 'auto-mode-alist '("\\.\\(?:ep\\|fx\\)\\.txt\\'" . onnxls-fx-mode))
  (add-to-list 'auto-mode-alist '("\\.onnxte?xt\\'" . onnxls-onnx-text-mode))
  (add-to-list 'auto-mode-alist '("\\.onnx\\'" . onnxls-onnx-text-mode))
  (add-to-list 'auto-mode-alist '("\\.onnxir\\'" . onnxls-onnx-ir-mode))
  (add-to-list 'magic-mode-alist '(onnxls-relative-p . onnxls-relative-mode))
  (add-to-list 'magic-mode-alist '(onnxls-mode-p . onnxls-mode)))

(provide 'onnxls-mode)
;;; onnxls-mode.el ends here
