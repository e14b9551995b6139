package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hsim/abi"
	"hsim/host/wasm"
)

func newPluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Build and inspect plugins",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("hsim plugin: unknown command %q, want inspect or build", args[0])
			}
			return c.Help()
		},
	}
	var as string
	inspect := &cobra.Command{
		Use:     "inspect FILE",
		Short:   "Check a .wasm file against the interface of its kind and print what it offers",
		Example: "  hsim plugin inspect plugins/rdma/rdma.wasm",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("hsim plugin inspect: got %d files, want one .wasm file", len(args))
			}
			return inspectPlugin(c.OutOrStdout(), args[0], as)
		},
	}
	inspect.Flags().StringVar(&as, "as", "", "check it as this kind: kernel, ccu, transport, algorithm or program (default: what it says it is)")
	var out string
	build := &cobra.Command{
		Use:   "build DIR",
		Short: "Compile the C or Go sources of a directory into a plugin",
		Long: `Compile DIR/*.c with clang, or the Go package in DIR with the Go toolchain, into DIR/<name of DIR>.wasm,
and check the result. hsim.h comes with hsim; C needs clang and wasm-ld (Debian: apt-get install clang lld).`,
		Example: "  hsim plugin build examples/kernel-c",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("hsim plugin build: got %d directories, want one", len(args))
			}
			finishAfterSignal(c) // the compiler gets the signal as well
			return buildPlugin(c.OutOrStdout(), args[0], out)
		},
	}
	build.Flags().StringVarP(&out, "output", "o", "", "file to write (default: DIR/<name of DIR>.wasm)")
	c.AddCommand(inspect, build)
	for _, x := range c.Commands() {
		x.SilenceUsage = true
	}
	return c
}

func inspectPlugin(w io.Writer, file, as string) error {
	bin, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("hsim plugin inspect: %w (want a .wasm file)", err)
	}
	return describe(w, file, bin, as)
}

// kindOf is the kind named by --as, else what the module marks itself as.
func kindOf(bin []byte, as string) (abi.Kind, error) {
	if as == "" {
		return wasm.KindOf(bin)
	}
	for _, k := range abi.Kinds() {
		if as == k.String() {
			return k, nil
		}
	}
	return 0, fmt.Errorf("hsim plugin inspect: --as %s: want kernel, ccu, transport, algorithm or program", as)
}

// describe loads a module, which checks it, and prints what it offers.
func describe(w io.Writer, file string, bin []byte, as string) error {
	kind, err := kindOf(bin, as)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	rt, err := wasm.NewRuntime(wasm.Options{})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer func() { _ = rt.Close() }()
	if as != "" {
		if _, err := rt.Load(file, bin, kind); err != nil {
			return err
		}
	}
	info, err := rt.Inspect(file, bin)
	if err != nil {
		return err
	}
	return printPlugin(w, file, info)
}

func printPlugin(w io.Writer, file string, info *wasm.Info) error {
	d := info.Description
	rows := [][]string{
		{"file", file}, {"kind", fmt.Sprintf("%s, version %d", info.Kind, info.Version)},
		{"name", dash(strings.TrimSpace(d.Name + " " + d.Version))}, {"about", dash(d.About)},
		{"bytes", fmt.Sprint(info.Size)}, {"sha256", info.Hash}, {"features", dash(strings.Join(info.Names, ", "))},
	}
	if iface := abi.Lookup(info.Kind); iface != nil {
		for i := range iface.Exports {
			prefix, suffix, many := iface.Exports[i].Pattern()
			if !many {
				continue
			}
			var names []string
			for _, e := range info.Exports {
				name, ok := strings.CutPrefix(e.Name, prefix)
				if name, ok2 := strings.CutSuffix(name, suffix); ok && ok2 && name != "" && !fitsLonger(iface, e.Name, prefix, suffix) {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				rows = append(rows, []string{iface.Exports[i].Name, strings.Join(names, ", ")})
			}
		}
	}
	rows = slices.DeleteFunc(rows, func(r []string) bool { return r[1] == "-" })
	if info.Kind == abi.Program {
		rows = append(rows, importRows(info)...)
	}
	if err := columns(w, rows); err != nil || len(d.Params) == 0 {
		return err
	}
	table := [][]string{{"PARAMETER", "TYPE", "DEFAULT", "ABOUT"}}
	for _, p := range d.Params {
		kind := p.Type
		if p.Type == "enum" {
			kind = strings.Join(p.Values, "|")
		}
		table = append(table, []string{p.Name, kind, fmt.Sprint(p.Default), p.About})
	}
	fmt.Fprintln(w)
	return columns(w, table)
}

// fitsLonger says whether an export belongs to a longer pattern: hsim_ccu_x_launch is the launch function of x, not a
// program x_launch.
func fitsLonger(iface *abi.Interface, name, prefix, suffix string) bool {
	for i := range iface.Exports {
		p, s, many := iface.Exports[i].Pattern()
		if many && len(p)+len(s) > len(prefix)+len(suffix) && strings.HasPrefix(name, p) && strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// importRows lists what a program calls, by import module.
func importRows(info *wasm.Info) [][]string {
	var rows [][]string
	for _, module := range abi.ProgramModules() {
		var names []string
		for _, f := range info.Imports {
			if f.Module == module {
				names = append(names, f.Name)
			}
		}
		if len(names) > 0 {
			rows = append(rows, []string{module, strings.Join(names, ", ")})
		}
	}
	return rows
}

func pluginFile(dir, out string) (string, error) {
	if out != "" {
		return out, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(abs)+".wasm"), nil
}
