package abi

// ProgramModules returns the import modules of host programs besides WASI.
func ProgramModules() []string {
	return []string{"hsim_acl_v1", "hsim_rt_v1", "hsim_ra_v1", "hsim_hccl_v1", "hsim_sys_v1"}
}

func programInterface() *Interface {
	return &Interface{
		Kind: Program,
		Doc:  "A host program: a WASI command that imports the runtime's interfaces by their own names.",
		Exports: []Func{
			declare("_start()", "Run main."),
		},
	}
}
