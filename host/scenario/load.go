package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"hsim/host/soc"
)

// setting is one key that was given a value: by the file, a variant or --set.
type setting struct {
	path   string // "run[0].op"; "run[*].op" from a variant or --set means every run it applies to
	value  any    // converted
	raw    any    // as decoded
	file   string // for errors: the file's name, or the --set itself
	line   int
	origin string // for `hsim config`
	rank   int    // of the source: 0 file, 1 variant, 2 --set
}

// layer is the settings of one source in the order of their lines.
type layer []setting

// document is a decoded sim.toml before it is resolved: the layers and how many runs there are.
type document struct {
	file     string
	pos      positions
	base     layer
	runs     int
	variants []variantLayer
	sets     layer
	part     bool // the variants were taken away
}

type variantLayer struct {
	name string
	line int
	layer
}

// reader walks decoded TOML along the schema and collects settings and problems.
type reader struct {
	schema *schema
	file   string
	pos    positions
	posPre string // prefix of positions: "variant[0]" while a variant is read
	origin func(line int) string
	wild   bool // run.KEY stands for every run
	out    layer
	probs  *problems
}

// What a sim.toml may hold: more is a wrong file or a mistake, and must cost no more than a message.
const (
	maxNesting  = 64 // brackets and braces within each other, and parts of a name
	maxRuns     = 256
	maxVariants = 256
	maxRows     = 1_000_000 // of all runs and variants
)

// readFile decodes a file. A missing file, wrong TOML, unknown keys and wrong values are problems.
func readFile(path string, probs *problems) *document {
	text, err := soc.ReadText(path)
	switch {
	case path == "":
		probs.add(Problem{File: "sim.toml", Want: "got an empty file name", Try: "`hsim run PATH`"})
		return nil
	case errors.Is(err, fs.ErrNotExist):
		probs.add(Problem{File: path, Want: "the file does not exist", Try: "the sim.toml of the repository, or `hsim run PATH`"})
		return nil
	case err != nil:
		probs.add(Problem{File: path, Want: "cannot be read: " + plainError(err)})
		return nil
	case len(text) > soc.MaxBytes:
		probs.add(Problem{File: path, Want: "is larger than 1 MiB, want a sim.toml"})
		return nil
	}
	return readText(path, text, probs)
}

// plainError is what the system says, without operation and path: the message names them already.
func plainError(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func readText(file, text string, probs *problems) *document {
	if line, what := soc.TooDeep(text, maxNesting); line > 0 { // before the decoder, which is recursive
		probs.add(Problem{File: file, Line: line, Want: what + ", want a sim.toml"})
		return nil
	}
	var tree map[string]any
	if _, err := toml.Decode(text, &tree); err != nil {
		probs.add(notTOML(file, text, err))
		return nil
	}
	d := &document{file: file, pos: indexPositions(text)}
	rd := &reader{schema: newSchema(Keys()), file: file, pos: d.pos, probs: probs}
	rd.origin = func(line int) string { return at(filepath.Base(file), line) }

	variants, isArray := tables(tree["variant"])
	if v, given := tree["variant"]; given && !isArray {
		probs.add(Problem{File: file, Line: d.pos.line("variant"), Key: "variant", Value: written(v), Want: "got " + typeName(v) + ", want tables headed [[variant]]"})
	}
	delete(tree, "variant")
	runs, _ := tables(tree["run"])
	if d.runs = len(runs); d.runs > maxRuns || len(variants) > maxVariants {
		probs.add(Problem{File: file, Want: fmt.Sprintf("has %d [[run]] and %d [[variant]] tables, want at most %d and %d", d.runs, len(variants), maxRuns, maxVariants)})
		return nil
	}
	rd.table("", tree)
	d.base = rd.out
	for i, v := range variants {
		d.variants = append(d.variants, rd.variant(i, v, d.variants))
	}
	return d
}

// variant reads one [[variant]]; others are those before it, whose names are taken.
func (rd *reader) variant(i int, tree map[string]any, others []variantLayer) variantLayer {
	pre := element("variant", i)
	v := variantLayer{line: rd.pos.line(pre)}
	name, ok := tree["name"].(string)
	if other, given := tree["name"]; given && !ok {
		rd.probs.add(Problem{File: rd.file, Line: rd.pos.line(pre + ".name"), Key: pre + ".name", Value: written(other), Want: "got " + typeName(other) + ", want a text that heads the columns", Try: `name = "rdma"`})
	} else if strings.TrimSpace(name) == "" {
		rd.probs.add(Problem{File: rd.file, Line: v.line, Key: pre + ".name", Want: "is missing; want a name that heads the columns", Try: `name = "rdma"`})
	}
	for _, o := range others {
		if o.name == name && ok {
			rd.probs.add(Problem{File: rd.file, Line: rd.pos.line(pre + ".name"), Key: pre + ".name", Value: written(name), Want: "is the name of an earlier variant already"})
		}
	}
	if w := badName(name); ok && w != "" {
		rd.probs.add(Problem{File: rd.file, Line: rd.pos.line(pre + ".name"), Key: pre + ".name", Value: written(name), Want: w})
	}
	delete(tree, "name")
	v.name = name
	sub := &reader{schema: rd.schema, file: rd.file, pos: rd.pos, posPre: pre, wild: true, probs: rd.probs,
		origin: func(line int) string { return "variant " + name + " (" + at(filepath.Base(rd.file), line) + ")" }}
	sub.table("", tree)
	v.layer = sub.out
	return v
}

// readSet reads one `--set a.b=c` over a file. What names another file does so from where the user is, as on any command
// line; it is kept as a path from the file, as all others are.
func readSet(s *schema, file, text string, probs *problems) layer {
	path, value, ok := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	label := "--set " + text
	if !ok || path == "" {
		probs.add(Problem{File: label, Want: "want KEY=VALUE", Try: "--set cluster.profile=a3"})
		return nil
	}
	v := decodeSet(value)
	if k, known := s.key(strings.Replace(path, "run.", "run[*].", 1)); known && (k.Kind == KindText || k.Kind == KindEnum) {
		if _, isText := v.(string); !isText {
			v = value
		}
	}
	if after, isRun := strings.CutPrefix(path, "run."); isRun {
		path = "run[*]." + after
	}
	if path == "variant" || strings.HasPrefix(path, "variant.") || strings.HasPrefix(path, "variant[") {
		probs.add(Problem{File: label, Want: "keys of a [[variant]] cannot be set here", Try: "--variant NAME, and the key itself"})
		return nil
	}
	rd := &reader{schema: s, file: label, pos: positions{}, wild: true, probs: probs, origin: func(int) string { return "--set" }}
	rd.node(path, v)
	for i := range rd.out {
		rd.out[i].value = fromFile(generic(rd.out[i].path), filepath.Dir(file), rd.out[i].value)
	}
	return rd.out
}

// fromFile turns the paths in the value of a key into paths from dir; other values, and names of what comes with hsim, stay
// as they are.
func fromFile(key, dir string, v any) any {
	output := strings.HasPrefix(key, "output.")
	if !output && !strings.HasSuffix(key, ".plugin") && !contains(fileKeys, key) {
		return v
	}
	switch x := v.(type) {
	case string:
		if output || key == "cluster.ns3ub" || strings.ContainsRune(x, filepath.Separator) || contains([]string{".wasm", ".toml", ".json", ".yaml"}, filepath.Ext(x)) {
			return relative(x, dir)
		}
	case []string:
		out := make([]string, len(x))
		for i := range x {
			out[i] = fromFile(key, dir, x[i]).(string)
		}
		return out
	}
	return v
}

// relative is a path from dir to what path means here.
func relative(path, dir string) string {
	abs, err := filepath.Abs(path)
	from, err2 := filepath.Abs(dir)
	if err != nil || err2 != nil || filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(from, abs)
	switch {
	case err != nil:
		return abs
	case strings.HasSuffix(path, string(filepath.Separator)):
		rel += string(filepath.Separator) // what is wrong with it is said later
	}
	return rel
}

// decodeSet reads a value as TOML has it, else as a text without quotes.
func decodeSet(value string) any {
	var decoded map[string]any
	if line, _ := soc.TooDeep(value, maxNesting); line > 0 {
		return value
	}
	if _, err := toml.Decode("V = "+value, &decoded); err != nil || len(decoded) != 1 {
		return value
	}
	return decoded["V"]
}

// readKey reads one key of a run or of the file that a flag sets.
func readKey(s *schema, k RunKey, path string, probs *problems) layer {
	rd := &reader{schema: s, file: k.Flag, pos: positions{}, probs: probs, origin: func(int) string { return k.Flag }}
	rd.node(path, k.Value)
	return rd.out
}

func (rd *reader) table(path string, tree map[string]any) {
	names := make([]string, 0, len(tree))
	for n := range tree {
		names = append(names, n)
	}
	line := func(n string) int { return rd.pos.line(rd.posPath(join(path, n))) }
	sort.Slice(names, func(i, j int) bool {
		if a, b := line(names[i]), line(names[j]); a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	for _, n := range names {
		rd.node(join(path, n), tree[n])
	}
}

func (rd *reader) node(path string, v any) {
	tree, isTable := v.(map[string]any)
	if name, ok := shorthand(path); ok && !isTable {
		path = join(path, name)
	}
	if k, ok := rd.schema.key(path); ok {
		rd.leaf(k, path, v)
		return
	}
	switch children := rd.schema.children(path); {
	case rd.schema.isArray(path):
		items, isArray := tables(v)
		switch {
		case isArray && !rd.wild || whole(path) && (isArray || isEmpty(v)):
			rd.list(path, v, items)
		case isTable && rd.wild && path == "run":
			rd.table("run[*]", tree)
		case rd.wild:
			rd.problem(path, v, "got "+typeName(v)+", want single keys of the runs here", path+".algorithm = \"ring\"")
		default:
			rd.problem(path, v, "got "+typeName(v)+", want tables headed [["+path+"]]", "[["+path+"]]")
		}
	case children != nil && isTable:
		rd.table(path, tree)
	case children != nil:
		rd.problem(path, v, "got "+typeName(v)+", want a table with "+list(children), tableForm(path, children))
	default:
		rd.problem(path, v, "unknown key", rd.schema.suggest(path))
	}
}

// whole says that a variant and --set replace a list of tables as a whole: its elements have no names to be found by.
func whole(path string) bool { return path == "fault" || path == "device" }

func isEmpty(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

// list reads the elements of an array of tables.
func (rd *reader) list(path string, v any, items []map[string]any) {
	if whole(path) {
		rd.out = append(rd.out, setting{path: path, raw: v}) // stands for: what was there before is gone
	}
	if len(items) > maxRuns {
		rd.problem(path, v, fmt.Sprintf("got %d tables, want at most %d", len(items), maxRuns), "")
		return
	}
	for i, item := range items {
		if len(item) == 0 {
			rd.problem(element(path, i), item, "is empty", "leaving it out")
		}
		rd.table(element(path, i), item)
	}
}

// tableForm shows how a table is written.
func tableForm(path string, children []string) string {
	if strings.ContainsAny(path, ".[") {
		return join(path, children[0]) + " = ..."
	}
	return "[" + path + "]"
}

func (rd *reader) leaf(k Key, path string, v any) {
	value, w := convert(k, v)
	if k.Later != "" && (k.Default == "" || w != nil || !reflect.DeepEqual(value, k.defaultValue())) {
		rd.problem(path, v, "not supported yet: "+k.Later, "")
		return
	}
	if w != nil {
		rd.problem(path, v, w.want, w.try)
		return
	}
	line := rd.pos.line(rd.posPath(path))
	rd.out = append(rd.out, setting{path: path, value: value, raw: v, file: rd.file, line: line, origin: rd.origin(line)})
}

func (rd *reader) problem(path string, v any, want, try string) {
	rd.probs.add(Problem{File: rd.file, Line: rd.pos.line(rd.posPath(path)), Key: join(rd.posPre, strings.ReplaceAll(path, "[*]", "")), Value: written(v), Want: want, Try: try})
}

// posPath is where the positions have a path: variants keep theirs under variant[i], and run[*] is written run there.
func (rd *reader) posPath(path string) string {
	return join(rd.posPre, strings.ReplaceAll(path, "[*]", ""))
}

// shorthand returns the key that a table's short form sets: topology = "star", ROCE = "rdma".
func shorthand(path string) (string, bool) {
	if path == "cluster.topology" {
		return "kind", true
	}
	if after, ok := strings.CutPrefix(path, "transport."); ok && !strings.Contains(after, ".") {
		return "plugin", true
	}
	return "", false
}

// defaultValue is the converted default; nil when the key has none. The defaults of the schema are valid (tested).
func (k Key) defaultValue() any {
	if k.Default == "" {
		return nil
	}
	var decoded struct{ V any }
	if _, err := toml.Decode("V = "+k.Default, &decoded); err != nil {
		return nil
	}
	v, w := convert(k, decoded.V)
	if w != nil {
		return nil
	}
	return v
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// tables returns v as an array of tables, in either form TOML has for it.
func tables(v any) ([]map[string]any, bool) {
	if t, ok := v.([]map[string]any); ok {
		return t, true
	}
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		return nil, false
	}
	out := make([]map[string]any, len(items))
	for i, x := range items {
		if out[i], ok = x.(map[string]any); !ok {
			return nil, false
		}
	}
	return out, true
}
