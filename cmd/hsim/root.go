package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"hsim/host/scenario"
	"hsim/plugins/build"
)

// The exit codes; `go run` turns every failure into 1.
const (
	exitOK          = 0
	exitFailed      = 1 // a check or a task failed
	exitBadInput    = 2
	exitStalled     = 3
	exitBug         = 70 // hsim itself is wrong
	exitInterrupted = 130
)

// exitError ends the program with a code; a nil err says nothing more.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// run executes one command line and returns the exit code. stdout gets the result, stderr progress, log and errors.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			fmt.Fprintf(stderr, "hsim: a bug in hsim: %v (try to report it, with the input and what follows)\n\n%s", bug, debug.Stack())
			code = exitBug
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	code = exitBadInput // flags and arguments of the command line are input as well
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
	}
	if ctx.Err() != nil {
		code = exitInterrupted
	}
	if text := err.Error(); text != "" {
		fmt.Fprint(stderr, paragraphs(oneOf(c, text)))
	}
	return code
}

// mostProblems is how many problems of one input are shown: what follows is mostly more of the same.
const mostProblems = 20

// paragraphs puts the program's name before each line of an error that stands for itself: a problem of an input has one
// line. Lines that a compiler has written, say, stay as they are.
func paragraphs(text string) string {
	lines := strings.Split(strings.TrimRight(oneParagraph(text), "\n"), "\n")
	rest := 0
	if len(lines) > mostProblems {
		rest = len(lines) - mostProblems
		lines = lines[:mostProblems]
	}
	var b strings.Builder
	for i, l := range lines {
		if (i == 0 || problemLine.MatchString(l)) && !strings.HasPrefix(l, "hsim ") {
			l = "hsim: " + packageName.ReplaceAllString(strings.TrimPrefix(l, "hsim: "), "")
		}
		b.WriteString(l + "\n")
	}
	if rest > 0 {
		fmt.Fprintf(&b, "hsim: and %d more lines\n", rest)
	}
	return b.String()
}

// packageName is what errors of our own packages begin with, for developers: a user has one program.
var packageName = regexp.MustCompile(`^(build|hccl|mem|record|scenario|soc|topo|units|wasm): `)

// problemLine is how the lines of an input's problems begin: file and line, or a flag.
var problemLine = regexp.MustCompile(`^(\S+\.(toml|csv|txt)(:\d+)?|--\S+ .*): `)

// oneParagraph turns the command library's suggestion into the form of all other errors.
func oneParagraph(text string) string {
	head, names, ok := strings.Cut(text, "\n\nDid you mean this?\n")
	if !ok {
		return text
	}
	return head + " (try " + strings.Join(strings.Fields(names), " or ") + ")"
}

// flagGroup is what the command library says of flags that exclude each other.
var flagGroup = regexp.MustCompile(`^if any flags in the group \[(.+)\] are set none of the others can be; \[(.+)\] were all set$`)

// oneOf words flags of a command that exclude each other as all other errors are.
func oneOf(c *cobra.Command, text string) string {
	m := flagGroup.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	flags := func(names, between string) string { return "--" + strings.Join(strings.Fields(names), between+"--") }
	return fmt.Sprintf("%s: got %s, want one of %s (try `%s --help`)", c.CommandPath(), flags(m[2], " and "), flags(m[1], ", "), c.CommandPath())
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hsim",
		Short: "Simulate clusters of Ascend NPUs: collectives, kernels and transports in virtual time on real data",
		Long: `hsim runs HCCL-style work on a simulated cluster of Ascend NPUs, in virtual time and on real data.

Chips are data, and kernels and transports are WebAssembly plugins: changing a chip or a transport changes
a line in sim.toml. The result goes to stdout; progress, log and errors go to stderr.

Exit codes: 0 fine, 1 a check or a task failed, 2 bad input, 3 a stall was recorded, 70 a bug in hsim, 130 interrupted.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetVersionTemplate("hsim {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%s: %w (try `%s --help`)", c.CommandPath(), err, c.CommandPath())
	})
	root.AddCommand(newRunCommand(), newHcclTestCommand(), newExplainCommand(), newPlanCommand(), newConfigCommand(),
		newProfilesCommand(), newCCUCommand(), newPluginCommand(), newTopoCommand(), newTablesCommand(), newCompilerCommand(build.LangC), newCompilerCommand(build.LangCXX),
		newInterfacesCommand(), newVersionCommand())
	root.SetHelpCommand(newHelpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		c.SilenceUsage = true
		if c.Name() == "completion" {
			c.Args, c.RunE = nil, onlyShells
		}
	}
	return root
}

// newHelpCommand is `hsim help`, which refuses what is no command.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("hsim help: there is no command %q (try `hsim help`)", strings.Join(args, " "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// onlyShells refuses to complete for a shell that is not known.
func onlyShells(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	var names []string
	for _, s := range c.Commands() {
		names = append(names, s.Name())
	}
	return fmt.Errorf("hsim completion: got %q, want %s", args[0], strings.Join(names, ", "))
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintln(c.OutOrStdout(), "hsim", version())
			return nil
		},
	}
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v += " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return v
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: got argument %q, want none (try `%s --help`)", c.CommandPath(), args[0], c.CommandPath())
	}
	return nil
}

// inputFlags are the flags of every command that reads a sim.toml.
type inputFlags struct {
	sets    []string
	variant string
	trace   string
	look    bool // the clusters alone are wanted
}

func (f *inputFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.sets, "set", nil, "replace a key of the file, as `KEY=VALUE`: cluster.profile=a3, run[0].sizes=1MiB, run.dtype=fp16 (all runs)")
	c.Flags().StringVar(&f.variant, "variant", "", "only the variant of this `NAME`")
}

// addTrace adds --trace, which sets output.trace.
func (f *inputFlags) addTrace(c *cobra.Command) {
	c.Flags().StringVar(&f.trace, "trace", "", "write a Chrome trace to this `FILE` (open it in ui.perfetto.dev)")
}

// options checks the flags that were given: an empty name is a variable of a script that was not set.
func (f *inputFlags) options(c *cobra.Command) (scenario.Options, error) {
	o := scenario.Options{Sets: f.sets, Variant: f.variant, Look: f.look}
	for _, name := range []string{"variant", "trace", "config"} {
		if fl := c.Flags().Lookup(name); fl != nil && fl.Changed && fl.Value.String() == "" {
			return o, fmt.Errorf("%s: --%s: got an empty text (try `%s --help`)", c.CommandPath(), name, c.CommandPath())
		}
	}
	if f.trace != "" {
		o.Flags = append(o.Flags, scenario.RunKey{Flag: "--trace", Key: "output.trace", Value: absolute(f.trace)})
	}
	return o, nil
}

// load reads the file named by the arguments, sim.toml when there is none.
func (f *inputFlags) load(c *cobra.Command, args []string) (*scenario.Scenario, error) {
	if len(args) > 1 {
		return nil, fmt.Errorf("%s: got %d files, want one (try `%s --help`)", c.CommandPath(), len(args), c.CommandPath())
	}
	file := "sim.toml"
	if len(args) == 1 {
		file = args[0]
	}
	o, err := f.options(c)
	if err != nil {
		return nil, err
	}
	return scenario.Load(file, o)
}
