;;; server.el --- What the server gives, through the client that was loaded  -*- lexical-binding: t; -*-

;;; Code:

(defun t-visit (name)
  "Visit the document NAME and connect it."
  (t-open name)
  (t-connect))

(defun t-diagnostics ()
  "The diagnostics of this buffer in their order."
  (sort (flymake-diagnostics)
        (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b)))))

(defun t-severity (diagnostic)
  "The severity of DIAGNOSTIC in our words."
  (let ((type (symbol-name (flymake-diagnostic-type diagnostic))))
    (cond ((string-match-p "error" type) "error")
          ((string-match-p "warning" type) "warning")
          (t "info"))))

(t-test "start"
  (t-visit "llama.txt")
  (let ((connection (t-connection)))
    (t-visit "export.log")
    (t-equal (t-connection) connection "one server for two files")))

(defun t-check-diagnostics (name)
  "Compare the diagnostics of the document NAME."
  (t-visit name)
  (let ((wanted (t-want 'diagnostics name)))
    (t-until (format "%d diagnostics in %s" (length wanted) name)
      (= (length (flymake-diagnostics)) (length wanted)))
    (cl-loop for diagnostic in (t-diagnostics)
             for want in wanted
             do (t-equal (t-place (flymake-diagnostic-beg diagnostic))
                         (list (alist-get 'line want) (t-column want)) name)
             do (t-equal (t-severity diagnostic) (alist-get 'severity want) name)
             do (t-equal (t-rule diagnostic) (alist-get 'rule want) name)
             do (t-has (flymake-diagnostic-text diagnostic) (list (alist-get 'has want)) name))))

(t-test "diagnostics"
  (dolist (entry (t-want 'diagnostics))
    (t-check-diagnostics (symbol-name (car entry)))))

(t-test "status"
  (if (not (t-has-status))
      'absent
    (dolist (entry (t-want 'status))
      (t-visit (symbol-name (car entry)))
      (t-until (format "the status of %s" (car entry))
        (and (memq 'onnxls-status mode-line-process)  ; Batch formats no mode line.
             onnxls-status (string-search (cdr entry) onnxls-status))))))

(t-test "operators of a folder"
  (let* ((folder (file-name-as-directory (make-temp-file "onnxls-" t)))
         (file (expand-file-name "a.torchir" folder)))
    (with-temp-file file
      (insert "graph(%x : Float(2)):\n  %1 : Float(2) = aten::lgamma(%x)\n  %2 : Float(2) = aten::relu(%1)\n  return (%2)\n"))
    (dolist (all '(nil t))
      (onnxls-ops folder all)
      (with-current-buffer "*onnxls ops*"
        (t-has (buffer-string) '("a.torchir:2: aten::lgamma (1 of 1 nodes reported)") "the unsupported node")
        (t-equal (and (string-match-p "a.torchir:3: aten::relu" (buffer-string)) t) all "the other one")))
    (kill-buffer "*onnxls ops*")
    (delete-directory folder t)))

(t-test "hover"
  (dolist (want (t-want 'hover))
    (t-visit (alist-get 'document want))
    (t-go (alist-get 'line want) (alist-get 'column want))
    (t-has (t-hover) (alist-get 'has want) (format "%s:%d" (alist-get 'document want) (alist-get 'line want)))))

(defun t-xref-places (items)
  "Line and column of each of ITEMS."
  (mapcar (lambda (item)
            (let ((marker (xref-location-marker (xref-item-location item))))
              (with-current-buffer (marker-buffer marker)
                (t-place marker))))
          items))

(t-test "definition"
  (dolist (want (t-want 'definition))
    (t-visit (alist-get 'document want))
    (t-go (alist-get 'line want) (alist-get 'column want))
    (let ((items (xref-backend-definitions (xref-find-backend) (xref-backend-identifier-at-point (xref-find-backend))))
          (to (alist-get 'to want)))
      (t-equal (t-xref-places items) (list (list (alist-get 'line to) (alist-get 'column to))) want))))

(t-test "references"
  (dolist (want (t-want 'references))
    (t-visit (alist-get 'document want))
    (t-go (alist-get 'line want) (alist-get 'column want))
    (let ((items (xref-backend-references (xref-find-backend) (xref-backend-identifier-at-point (xref-find-backend)))))
      (t-equal (t-xref-places items) (t-reference-places want) want))))

(t-test "symbols"
  (t-visit (t-want 'symbols 'document))
  (let ((text (format "%S" (funcall imenu-create-index-function))))
    (t-has (substring-no-properties text) (t-want 'symbols 'names) "imenu")))

(t-test "semantic tokens"
  (t-tokens))

(defun t-has-rule (rule)
  "The diagnostic of RULE in this buffer."
  (seq-find (lambda (diagnostic) (equal (t-rule diagnostic) rule)) (flymake-diagnostics)))

(defun t-take-back ()
  "Bring this buffer to what its file holds."
  (revert-buffer t t t)
  (t-connect))

(t-test "edit"
  (let ((want (t-want 'edit)))
    (t-visit (alist-get 'document want))
    (t-until "no diagnostics before" (null (flymake-diagnostics)))
    (t-go (alist-get 'line want) 1)
    (search-forward (alist-get 'from want))
    (replace-match (alist-get 'to want) t t)
    (t-send-changes)
    (let ((found (t-until "a diagnostic after an edit" (t-has-rule (alist-get 'rule want)))))
      (t-equal (t-place (flymake-diagnostic-beg found)) (list (alist-get 'line want) (alist-get 'column want)) "place"))
    (t-take-back)
    (t-send-changes)
    (t-until "no diagnostics after taking it back" (null (flymake-diagnostics)))))

(defun t-await-count (count what)
  "Wait for COUNT diagnostics; WHAT names why there are so many."
  (t-until (format "%d diagnostics %s" count what)
    (flymake-start)
    (= (length (flymake-diagnostics)) count)))

(t-test "settings"
  (t-visit (t-want 'opset 'document))
  (let ((wanted (t-want 'diagnostics (t-want 'opset 'document)))
        (rule "unsupported-op"))
    (onnxls-set-opset (t-want 'opset 'value))
    (t-await-count (t-want 'opset 'count) "at the opset that was set")
    (onnxls-set-opset nil)
    (t-await-count (length wanted) "at the project's opset")
    (setq onnxls-rules `((,rule . "off")))
    (onnxls--call "configure")
    (t-await-count (seq-count (lambda (want) (not (equal (alist-get 'rule want) rule))) wanted) "without a rule")
    (setq onnxls-rules nil)
    (onnxls--call "configure")
    (t-await-count (length wanted) "with that rule")))

(t-test "set target"
  (t-visit (t-want 'opset 'document))
  (let* ((wanted (t-want 'diagnostics (t-want 'opset 'document)))
         (targets (onnxls--call "ask" "onnxls/targets"))
         (value (t-want 'opset 'value))
         (choice (seq-find (lambda (choice) (equal (plist-get choice :value) value))
                           (onnxls--choices-of targets "opset"))))
    (t-has (onnxls--setting-note targets "opset") (list (t-want 'opset 'best)) "what is better")
    (t-has (onnxls--choice-note choice) (list (t-want 'opset 'difference)) "what it would change")
    (onnxls-set-target "opset" (number-to-string value))
    (t-await-count (t-want 'opset 'count) "at the opset that was chosen")
    (onnxls-set-target "opset" nil)
    (t-await-count (length wanted) "at the project's opset")
    (t-equal onnxls-opset nil "the option")))

(t-test "commands"
  (t-visit "llama.txt")
  (let ((text (onnxls-version))
        (connection (t-connection)))
    (t-has text '("onnxls " "facts: torch") "version")
    (onnxls-restart)
    (t-await-restart connection)
    (t-check-diagnostics "llama.txt")))

(t-test "inlay hints"
  (t-visit (t-want 'inlay 'document))
  (let ((hints (t-hints)))
    (if hints
        (t-has hints (t-want 'inlay 'has) "hints")
      'absent)))

(defun t-stub ()
  "The buffer that the stub is in, once it is there; a client may make the file first and fill its buffer then."
  (let ((file (car (file-expand-wildcards (expand-file-name "symbolic_*.py" (alist-get 'project t-given)))))
        (buffer (seq-find (lambda (buffer) (string-match-p "\\`symbolic_.*\\.py" (buffer-name buffer))) (buffer-list))))
    (cond (buffer (and (> (buffer-size buffer) 0) buffer))
          ((and file (> (file-attribute-size (file-attributes file)) 0)) (find-file-noselect file)))))

(t-test "stub"
  (t-visit (t-want 'stub 'document))
  (t-until "diagnostics" (flymake-diagnostics))
  (t-go (t-want 'stub 'line) (t-want 'stub 'column))
  (t-run-action (t-want 'stub 'title))
  (let* ((buffer (t-until "the new file" (t-stub)))
         (file (buffer-file-name buffer)))
    (t-has (with-current-buffer buffer (buffer-string)) (t-want 'stub 'has) "the stub")
    (with-current-buffer buffer
      (set-buffer-modified-p nil)
      (set-visited-file-name nil t)
      (kill-buffer))
    (delete-file file)))

(t-test "killed server"
  (t-visit "llama.txt")
  (t-allow-restart)
  (goto-char (point-max))
  (forward-line -1)
  (insert "  %unsaved : Tensor = aten::relu(%nowhere)\n")
  (t-send-changes)
  (t-until "a diagnostic of unsaved text" (t-has-rule "undefined-value"))
  (let ((seen (length (flymake-diagnostics)))
        (connection (t-connection))
        (start (float-time)))
    (signal-process (t-server-process) 'SIGKILL)
    (t-await-restart connection)
    (t-until "the diagnostics of the unsaved text again"
      (flymake-start)
      (and (t-has-rule "undefined-value") (= (length (flymake-diagnostics)) seen)))
    (let ((ms (t-ms-since start)))
      (t-equal (buffer-modified-p) t "modified")
      (t-has (buffer-string) '("%unsaved : Tensor") "the text")
      (t-take-back)
      ms)))

(t-test "missing server"
  (t-visit "llama.txt")
  (let ((onnxls-server-program "no-such-onnxls"))
    (t-has (condition-case problem
               (progn (onnxls-command) "")
             (user-error (error-message-string problem)))
           '("no-such-onnxls" "onnxls-server-program") "what it says"))
  (with-temp-buffer
    (t-has (condition-case problem
               (progn (onnxls-restart) "")
             (user-error (error-message-string problem)))
           '("onnxls-ensure") "where no server is")))

(defvar t-large (alist-get 'large t-given))

(defvar lsp-semantic-tokens-enable)

(when t-large
  ;; As lsp-mode has it by itself: it would ask for the colours of the whole text.
  (setq lsp-semantic-tokens-enable nil)

  (t-test "24 MB: diagnostics"
    (let ((start (float-time)))
      (switch-to-buffer (find-file-noselect t-large))
      (t-connect)
      (t-until "diagnostics" (flymake-diagnostics))
      (t-ms-since start)))

  (t-test "24 MB: hover"
    (goto-char (/ (point-max) 2))
    (beginning-of-line)
    (forward-char 4)
    (let ((start (float-time)))
      (t-hover)
      (t-ms-since start)))

  (t-test "24 MB: edit"
    (let ((count (length (flymake-diagnostics)))
          (start (float-time)))
      (beginning-of-line)
      (insert "  %unsaved : Tensor = aten::relu(%nowhere)\n")
      (t-send-changes)
      (t-until "a diagnostic more" (> (length (flymake-diagnostics)) count))
      (prog1 (t-ms-since start)
        (set-buffer-modified-p nil)))))
;;; server.el ends here
