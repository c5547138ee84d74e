;;; onnxls.el --- Graphs that PyTorch exports to ONNX  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools
;; URL: https://github.com/onnxls/onnxls

;;; Commentary:

;; Modes for the graphs that PyTorch prints (TorchScript IR) and their
;; relatives, and the language server onnxls for them: which operators can't
;; be exported to ONNX at this opset and since when they can, what a value is,
;; where it is used, which line of Python made it.
;;
;; Put the server on the variable `exec-path', or name it in
;; `onnxls-server-program', and have it started where it is of use:
;;
;;   (add-hook 'onnxls-mode-hook #'onnxls-ensure)
;;
;; That takes eglot, or lsp-mode if `onnxls-client' says so.  Those who call
;; `eglot-ensure' or `lsp-deferred' themselves find the server registered.

;;; Code:

(require 'json)
(require 'seq)
(require 'subr-x)

(defgroup onnxls nil
  "Graphs that PyTorch exports to ONNX."
  :group 'languages
  :prefix "onnxls-")

(defcustom onnxls-server-program "onnxls"
  "The server: a name on the variable `exec-path', or a path."
  :type 'string)

(defcustom onnxls-server-args '("serve" "--stdio")
  "Arguments of the server."
  :type '(repeat string))

(defcustom onnxls-client 'auto
  "What `onnxls-ensure' starts the server with."
  :type '(choice (const :tag "Eglot if it is there, else lsp-mode" auto)
                 (const :tag "Eglot" eglot)
                 (const :tag "lsp-mode" lsp-mode)))

(defcustom onnxls-torch nil
  "The torch version that exports, such as \"2.6\"; nil for what the project says."
  :type '(choice (const :tag "What the project says" nil) string)
  :safe #'string-or-null-p)

(defcustom onnxls-exporter nil
  "The exporter: \"torchscript\" or \"dynamo\"; nil for what the project says."
  :type '(choice (const :tag "What the project says" nil)
                 (const "torchscript") (const "dynamo"))
  :safe #'string-or-null-p)

(defcustom onnxls-opset nil
  "The ONNX opset to export to; nil for what the project says."
  :type '(choice (const :tag "What the project says" nil) integer)
  :safe #'integerp)

(defcustom onnxls-runtime nil
  "The runtime that runs the model, such as \"onnxruntime 1.21\".
That is nil for what the project says."
  :type '(choice (const :tag "What the project says" nil) string)
  :safe #'stringp)

(defcustom onnxls-rules nil
  "Severities by rule, as in ((\"unused-value\" . \"off\"))."
  :type '(alist :key-type string
                :value-type (choice (const "error") (const "warning") (const "info")
                                    (const "hint") (const "off"))))

(defcustom onnxls-group nil
  "Whether a problem that many nodes have is one diagnostic."
  :type '(choice (const :tag "What the project says" nil) (const :tag "Yes" yes) (const :tag "No" no)))

(defcustom onnxls-max-diagnostics nil
  "How many diagnostics a buffer gets; 0 is no limit, nil what the project says."
  :type '(choice (const :tag "What the project says" nil) integer)
  :safe #'integerp)

(defcustom onnxls-db nil
  "Files of facts of your own that lie over those built in."
  :type '(repeat file))

(defcustom onnxls-inlay-hints nil
  "Whether there are hints of a kind, as in ((\"constantValues\" . nil)).
The kinds are argumentNames, constantValues, inputNames and opset."
  :type '(alist :key-type string :value-type boolean))

(defcustom onnxls-source-roots nil
  "Folders in which relative source paths of a dump are looked for."
  :type '(repeat directory))

(defcustom onnxls-path-mappings nil
  "Beginnings of source paths elsewhere and here, as in ((\"/there\" . \"/here\"))."
  :type '(alist :key-type string :value-type directory))

(defcustom onnxls-workspace-index nil
  "Whether the server reads Python files and dumps that are not open."
  :type '(choice (const :tag "What the project says" nil) (const :tag "Yes" yes) (const :tag "No" no)))

(defun onnxls--json-object (alist)
  "ALIST as an object for JSON; its keys are strings, and nil is false."
  (mapcan (lambda (entry)
            (list (intern (concat ":" (car entry))) (or (cdr entry) :json-false)))
          alist))

(defun onnxls--json-paths (paths)
  "PATHS as an array for JSON."
  (vconcat (mapcar #'expand-file-name paths)))

(defun onnxls--json-mappings (mappings)
  "MAPPINGS of paths as an array for JSON."
  (vconcat (mapcar (lambda (mapping)
                     (list :from (car mapping) :to (expand-file-name (cdr mapping))))
                   mappings)))

(defun onnxls--json-switch (answer)
  "ANSWER, which is yes or no, as a boolean for JSON."
  (if (eq answer 'yes) t :json-false))

(defconst onnxls-server-settings
  '((:torch onnxls-torch)
    (:exporter onnxls-exporter)
    (:opset onnxls-opset)
    (:runtime onnxls-runtime)
    (:rules onnxls-rules onnxls--json-object)
    (:group onnxls-group onnxls--json-switch)
    (:maxDiagnostics onnxls-max-diagnostics)
    (:db onnxls-db onnxls--json-paths)
    (:inlayHints onnxls-inlay-hints onnxls--json-object)
    (:sourceRoots onnxls-source-roots onnxls--json-paths)
    (:pathMappings onnxls-path-mappings onnxls--json-mappings)
    (:workspaceIndex onnxls-workspace-index onnxls--json-switch))
  "What the server calls a setting, its option, and what makes JSON of it.")

(defun onnxls-settings ()
  "The settings that are set, as a property list for JSON."
  (mapcan (pcase-lambda (`(,name ,option . ,to-json))
            (let ((value (symbol-value option)))
              (and value (list name (funcall (or (car to-json) #'identity) value)))))
          onnxls-server-settings))

(defun onnxls-command ()
  "Return the server's command line, or signal what to do if it can't be found."
  (unless (executable-find onnxls-server-program)
    (user-error "Can't find the server `%s'; put it on PATH, or set `onnxls-server-program'"
                onnxls-server-program))
  (cons onnxls-server-program onnxls-server-args))

;;;; Clients

(declare-function eglot-ensure "eglot" ())
(declare-function lsp-deferred "lsp-mode" ())
(declare-function onnxls-eglot-configure "onnxls-eglot" ())
(declare-function onnxls-eglot-restart "onnxls-eglot" ())
(declare-function onnxls-eglot-managed-p "onnxls-eglot" ())
(declare-function onnxls-lsp-configure "onnxls-lsp" ())
(declare-function onnxls-lsp-restart "onnxls-lsp" ())
(declare-function onnxls-lsp-managed-p "onnxls-lsp" ())
(declare-function onnxls-python-managed-p "onnxls-python" ())

(defun onnxls--library (client)
  "The file of ours that serves CLIENT."
  (if (eq client 'eglot) 'onnxls-eglot 'onnxls-lsp))

(defun onnxls--installed-client ()
  "Return the client to use: that of `onnxls-client', or the one there is."
  (if (not (eq onnxls-client 'auto))
      onnxls-client
    (seq-find (lambda (client) (locate-library (symbol-name client)))
              '(eglot lsp-mode))))

;;;###autoload
(defun onnxls-ensure ()
  "Start the server for this buffer, by the client that `onnxls-client' names."
  (interactive)
  (let ((client (onnxls--installed-client)))
    (unless client
      (user-error "Neither eglot nor lsp-mode is installed"))
    (require (onnxls--library client))
    (if (eq client 'eglot) (eglot-ensure) (lsp-deferred))))

(defun onnxls--call (suffix &rest args)
  "Call with ARGS the function with SUFFIX of the client that manages this buffer."
  (cond
   ((and (featurep 'onnxls-python) (onnxls-python-managed-p))
    (apply (intern (concat "onnxls-python-" suffix)) args))
   ((and (featurep 'onnxls-eglot) (onnxls-eglot-managed-p))
    (apply (intern (concat "onnxls-eglot-" suffix)) args))
   ((and (featurep 'onnxls-lsp) (onnxls-lsp-managed-p))
    (apply (intern (concat "onnxls-lsp-" suffix)) args))
   (t (user-error "No server serves this buffer; `onnxls-ensure' starts one"))))

;;;; Status

(defvar-local onnxls-status nil
  "How much of this buffer was judged, and for which export.")
(put 'onnxls-status 'risky-local-variable nil)

(defun onnxls-show-status (buffer answer)
  "Show ANSWER, a property list that the server gave, in the mode line of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq onnxls-status
            (and answer
                 (let ((text (format " %s: torch %s, %s, opset %s"
                                     (pcase (plist-get answer :status)
                                       ("partly" "checked in part")
                                       ("skipped" "not checked")
                                       (status status))
                                     (plist-get answer :torch) (plist-get answer :exporter)
                                     (plist-get answer :opset))))
                   (propertize text 'help-echo (plist-get answer :why)))))
      (force-mode-line-update))))

;;;; Commands

;;;###autoload
(defun onnxls-set-opset (opset)
  "Check against ONNX OPSET from now on; nil is for the project's own."
  (interactive
   (list (let ((text (read-string "Opset (empty for the project's): ")))
           (cond ((string-empty-p text) nil)
                 ((string-match-p "\\`[0-9]+\\'" text) (string-to-number text))
                 (t (user-error "An opset is a number, such as 17"))))))
  (setq onnxls-opset opset)
  (onnxls--call "configure"))

;;;; Targets

(defconst onnxls--target-settings '("torch" "exporter" "opset" "runtime")
  "The settings that say what is exported with.")

(defun onnxls--read-noted (prompt notes)
  "Read one of the keys of the alist NOTES with PROMPT.
Their values are shown beside them."
  (let ((width (apply #'max (mapcar (lambda (note) (length (car note))) notes))))
    (completing-read
     prompt
     (lambda (string predicate action)
       (if (eq action 'metadata)
           `(metadata
             (display-sort-function . identity)
             (annotation-function
              . ,(lambda (key)
                   (concat (make-string (- (+ width 2) (length key)) ?\s) (cdr (assoc key notes))))))
         (complete-with-action action notes string predicate)))
     nil t)))

(defun onnxls--lists (value)
  "VALUE of JSON with lists in the place of vectors and hash tables."
  (cond ((hash-table-p value)
         (let (list)
           (maphash (lambda (key member)
                      (setq list (nconc list (list (intern (concat ":" key)) (onnxls--lists member)))))
                    value)
           list))
        ((or (vectorp value) (consp value)) (mapcar #'onnxls--lists value))
        (t value)))

(defun onnxls--choices-of (targets setting)
  "Those of the choices of TARGETS that are about SETTING."
  (seq-filter (lambda (choice) (equal (plist-get choice :setting) setting))
              (plist-get targets :choices)))

(defun onnxls--choice-total (choice)
  "How bad CHOICE is: its errors count first."
  (+ (* 100000 (or (plist-get choice :errors) 0)) (or (plist-get choice :warnings) 0)))

(defun onnxls--is-current (choice)
  "Non-nil if CHOICE is in force."
  (eq (plist-get choice :current) t))

(defun onnxls--best-choice (choices)
  "The one of CHOICES with the fewest problems, nearest to what is in force.
That is nil if none is better."
  (let* ((now (seq-position choices t (lambda (choice _) (onnxls--is-current choice))))
         (limit (and now (onnxls--choice-total (elt choices now))))
         (i -1)
         better)
    (when now
      (dolist (choice choices)
        (setq i (1+ i))
        (when (and (not (string-empty-p (or (plist-get choice :difference) "")))
                   (< (onnxls--choice-total choice) limit))
          (push (list (onnxls--choice-total choice) (abs (- i now)) choice) better)))
      (nth 2 (car (sort better (lambda (a b) (or (< (car a) (car b))
                                                 (and (= (car a) (car b)) (< (nth 1 a) (nth 1 b)))))))))))

(defun onnxls--setting-note (targets setting)
  "What is in force of SETTING by TARGETS, and what would be better."
  (let* ((value (plist-get targets (intern (concat ":" setting))))
         (best (onnxls--best-choice (onnxls--choices-of targets setting))))
    (concat (if (equal value "") "any"
              (format "%s (%s)" value (plist-get targets (intern (concat ":" setting "From")))))
            (and best (format "; %s: %s" (plist-get best :value) (plist-get best :difference))))))

(defun onnxls--choice-note (choice)
  "What CHOICE would change."
  (let ((difference (or (plist-get choice :difference) "")))
    (concat (and (onnxls--is-current choice) "current, ")
            (cond ((not (string-empty-p difference)) difference)
                  ((stringp (plist-get choice :why)) (plist-get choice :why))
                  ((plist-get choice :errors)
                   (format "%s errors, %s warnings" (plist-get choice :errors) (plist-get choice :warnings)))))))

(defun onnxls--read-target ()
  "Read a setting and a value for it; a list of both."
  (let* ((targets (or (onnxls--call "ask" "onnxls/targets")
                      (user-error "The server does not have this buffer")))
         (setting (onnxls--read-noted
                   "What do you export with? "
                   (mapcar (lambda (name) (cons name (onnxls--setting-note targets name)))
                           onnxls--target-settings)))
         (value (onnxls--read-noted
                 (format "%s: " (capitalize setting))
                 (cons '("project" . "what the project says")
                       (mapcar (lambda (choice)
                                 (cons (format "%s" (plist-get choice :value)) (onnxls--choice-note choice)))
                               (onnxls--choices-of targets setting))))))
    (list setting (unless (equal value "project") value))))

;;;###autoload
(defun onnxls-set-target (setting value)
  "Check against VALUE of SETTING from now on; nil is for the project's own.
SETTING is torch, exporter, opset or runtime.  Beside each value in the list is
what it would change in this buffer."
  (interactive (onnxls--read-target))
  (unless (member setting onnxls--target-settings)
    (user-error "There is no setting `%s'" setting))
  (set (intern (concat "onnxls-" setting))
       (if (and value (equal setting "opset")) (string-to-number value) value))
  (onnxls--call "configure"))

;;;###autoload
(defun onnxls-restart ()
  "Start the server of this buffer again."
  (interactive)
  (onnxls--call "restart"))

;;;###autoload
(defun onnxls-version ()
  "Show the versions of the server and of its facts."
  (interactive)
  (message "%s" (string-trim (with-output-to-string
                               (with-current-buffer standard-output
                                 (call-process (car (onnxls-command)) nil t nil "version"))))))

;;;; Models

(defun onnxls--run (destination &rest args)
  "Call the program with ARGS; return its exit code.
Its output goes to DESTINATION."
  (apply #'call-process (car (onnxls-command)) nil (list destination nil) nil args))

;;;###autoload
(defun onnxls-model-file-handler (operation &rest args)
  "Insert the text of a binary model where its bytes are asked for.
OPERATION and ARGS are those of `file-name-handler-alist'."
  (let ((inhibit-file-name-handlers
         (cons 'onnxls-model-file-handler
               (and (eq inhibit-file-name-operation operation) inhibit-file-name-handlers)))
        (inhibit-file-name-operation operation))
    (if (and (eq operation 'insert-file-contents) (file-regular-p (car args)))
        (onnxls--insert-model (car args) (nth 1 args))
      (apply operation args))))

(defun onnxls--insert-model (file visit)
  "Insert FILE, a model, as text; VISIT it if that is non-nil."
  (let ((start (point))
        (file (expand-file-name file)))
    (unless (zerop (onnxls--run t "show" file))
      (message "onnxls can't show %s; `onnxls check' says why" file))
    (when visit
      (setq buffer-file-name file
            buffer-read-only t)
      (set-visited-file-modtime)
      (set-buffer-modified-p nil))
    (prog1 (list file (- (point) start))
      (goto-char start))))

;;;###autoload
(add-to-list 'file-name-handler-alist '("\\.onnx\\'" . onnxls-model-file-handler))

;;;###autoload
(defun onnxls-ops (folder &optional all)
  "List the nodes of all graphs below FOLDER that can't be converted.
With a prefix argument, ALL, list those of every operator.  `next-error'
goes from one to the next."
  (interactive (list (read-directory-name "Operators of: " nil nil t) current-prefix-arg))
  (let* ((default-directory (file-name-as-directory (expand-file-name folder)))
         (operators (with-temp-buffer
                      (onnxls--run t "ops" "." "--format" "json")
                      (goto-char (point-min))
                      (json-read))))
    (with-current-buffer (get-buffer-create "*onnxls ops*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (format "-*- mode: grep; default-directory: %S -*-\n\n" default-directory))
        (mapc (lambda (operator)
                (let ((reported (alist-get 'reported operator)))
                  (when (or all (> reported 0))
                    (mapc (lambda (line)
                            (insert (format "%s:%d: %s (%d of %d nodes reported)\n" (alist-get 'file operator) line
                                            (alist-get 'op operator) reported (alist-get 'count operator))))
                          (alist-get 'lines operator)))))
              operators))
      (grep-mode)
      (goto-char (point-min))
      (display-buffer (current-buffer)))))

;;;###autoload
(defun onnxls-diff (file)
  "Show what differs between the graph of this buffer and that of FILE."
  (interactive "fCompare with: ")
  (let ((here (or buffer-file-name (user-error "This buffer has no file")))
        (buffer (get-buffer-create "*onnxls diff*")))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (unless (memq (onnxls--run t "diff" here (expand-file-name file)) '(0 1))
          (insert "One of the two can't be read, or is no graph; `onnxls check' says why.\n")))
      (diff-mode))
    (display-buffer buffer)))

;;;###autoload
(defun onnxls-explain-error (text)
  "Say why an export failed by TEXT: the region, else what was copied last."
  (interactive
   (list (if (use-region-p)
             (buffer-substring-no-properties (region-beginning) (region-end))
           (substring-no-properties (current-kill 0)))))
  (let ((program (car (onnxls-command))))
    (with-current-buffer (get-buffer-create "*onnxls why*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text)
        (call-process-region (point-min) (point-max) program t t nil "why" "-")
        (goto-char (point-min)))
      (special-mode)
      (display-buffer (current-buffer)))))

;;;###autoload
(defun onnxls-graph ()
  "Show the picture of this graph in a browser, at the node under point.
The text is that of the buffer, whether it is saved or not."
  (interactive)
  (let* ((page (make-temp-file "onnxls-" nil ".html"))
         (is-on-disk (and buffer-file-name (not (buffer-modified-p))))
         (line (number-to-string (line-number-at-pos nil t)))
         (args (list "graph" (if is-on-disk buffer-file-name "-") "--at" line "--out" page))
         (said (generate-new-buffer " *onnxls graph*")))
    (unwind-protect
        (let ((code (save-restriction
                      (widen)
                      (if is-on-disk
                          (apply #'call-process (car (onnxls-command)) nil said nil args)
                        (apply #'call-process-region nil nil (car (onnxls-command)) nil said nil args)))))
          (unless (eq code 0)
            (user-error "%s" (with-current-buffer said (string-trim (buffer-string)))))
          (browse-url-of-file page)
          page)
      (kill-buffer said))))

(provide 'onnxls)
;;; onnxls.el ends here
