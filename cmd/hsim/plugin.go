package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	rt, err := wasm.NewRuntime(wasm.Options{})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer func() { _ = rt.Close() }()
	m, err := loadAnyKind(rt, file, bin, as)
	if err != nil {
		return err
	}
	return describePlugin(w, m, len(bin))
}

// loadAnyKind loads a module as the kind that it says it is.
func loadAnyKind(rt *wasm.Runtime, file string, bin []byte, as string) (*wasm.Module, error) {
	var said error
	for _, k := range abi.Kinds() {
		if as != "" && as != k.String() {
			continue
		}
		m, err := rt.Load(file, bin, k)
		if err == nil {
			return m, nil
		}
		// The fault that helps is the one of the kind that the module names, else of the first kind asked.
		if said == nil || !strings.Contains(err.Error(), "got another kind") && strings.Contains(said.Error(), "got another kind") {
			said = err
		}
	}
	if said == nil {
		return nil, fmt.Errorf("hsim plugin inspect: --as %s: want kernel, ccu, transport, algorithm or program", as)
	}
	return nil, said
}

func describePlugin(w io.Writer, m *wasm.Module, size int) error {
	d, err := m.Describe()
	if err != nil {
		return err
	}
	features, err := m.Features()
	if err != nil {
		return err
	}
	hash := m.Hash()
	rows := [][]string{
		{"file", m.Name()}, {"kind", fmt.Sprintf("%s, version %d", m.Kind(), abi.Version)},
		{"name", dash(strings.TrimSpace(d.Name + " " + d.Version))}, {"about", dash(d.About)},
		{"bytes", fmt.Sprint(size)}, {"sha256", hex.EncodeToString(hash[:])},
	}
	if iface := abi.Lookup(m.Kind()); iface != nil {
		for _, f := range iface.Exports {
			if _, _, many := f.Pattern(); many {
				if names := m.Entries(f.Name); len(names) > 0 {
					rows = append(rows, []string{f.Name, strings.Join(names, ", ")})
				}
			}
		}
		rows = append(rows, []string{"features", dash(featureNames(iface, features))})
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

// featureNames spells the bits of the interface's enum of features.
func featureNames(iface *abi.Interface, bits uint32) string {
	var names []string
	for _, e := range iface.Enums {
		if !strings.HasPrefix(e.Name, "feature") {
			continue
		}
		for _, c := range e.Consts {
			if c.Value != 0 && uint32(c.Value)&bits == uint32(c.Value) {
				names = append(names, strings.TrimPrefix(c.Name, "feature_"))
			}
		}
	}
	return strings.Join(names, ", ")
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
