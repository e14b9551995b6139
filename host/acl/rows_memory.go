package acl

import (
	"hsim/host/mem"
)

// PhyMemBlockRow is a row of table phy_mem_block. DeviceID is -1 for host memory.
type PhyMemBlockRow struct {
	PhyMemID int    `col:"phy_mem_id" key:"pk"`
	DeviceID int    `col:"device_id" key:"device.device_id" null:"-1"`
	Size     int64  `col:"size"`
	Type     string `col:"type"`
	RefCount int    `col:"ref_count"`
	Life
}

// VirtualPointerRow is a row of table virtual_pointer.
type VirtualPointerRow struct {
	StartPtr   mem.Addr `col:"start_ptr" key:"pk"`
	Size       int64    `col:"size"`
	CtxID      int      `col:"ctx_id" key:"context.ctx_id"`
	PhyMemID   int      `col:"phy_mem_id" key:"phy_mem_block.phy_mem_id"`
	OwnerPid   int      `col:"owner_pid"` // 0: the system
	SourceType string   `col:"source_type"`
	Policy     uint32   `col:"policy"`
	Name       string   `col:"name"`
	Life
}

// memoryRows are the rows of all memory there ever was: an Observer of the space.
type memoryRows struct {
	r       *Runtime
	blocks  []PhyMemBlockRow
	byBlock map[mem.BlockID]int
	ranges  []VirtualPointerRow
	byStart map[mem.Addr]int
}

// open starts with what there is.
func (m *memoryRows) open(r *Runtime) {
	*m = memoryRows{r: r, byBlock: map[mem.BlockID]int{}, byStart: map[mem.Addr]int{}}
	m.fill()
	r.mem.SetObserver(m)
}

// fill adds rows for what lives now.
func (m *memoryRows) fill() {
	m.r.mem.Blocks(func(b *mem.Block) bool { m.BlockMade(b); return true })
	m.r.mem.Ranges(func(x mem.Range) bool {
		if !x.Freed {
			m.RangeMade(x)
		}
		return true
	})
}

// BlockMade implements mem.Observer. Registers are no memory, and wrapped bytes
// get their row with the range that says whose they are.
func (m *memoryRows) BlockMade(b *mem.Block) {
	if b.Store != mem.StoreRegister && !b.Wrapped() {
		m.addBlock(b)
	}
}

func (m *memoryRows) addBlock(b *mem.Block) {
	m.byBlock[b.ID] = len(m.blocks)
	m.blocks = append(m.blocks, PhyMemBlockRow{PhyMemID: int(b.ID), DeviceID: b.Device, Size: b.Size, Type: b.Type.String(), Life: Life{Created: m.r.now()}})
}

// BlockFreed implements mem.Observer.
func (m *memoryRows) BlockFreed(b *mem.Block) {
	if i, ok := m.byBlock[b.ID]; ok {
		m.blocks[i].Gone, m.blocks[i].Destroyed = true, m.r.now()
	}
}

// RangeMade implements mem.Observer.
func (m *memoryRows) RangeMade(x mem.Range) {
	b, _ := m.r.mem.Block(x.Block)
	switch {
	case x.Kind == mem.KindRegister || b != nil && b.Wrapped() && x.Pid == 0:
		return
	case b != nil && b.Wrapped():
		if _, ok := m.byBlock[b.ID]; !ok {
			m.addBlock(b)
		}
	}
	m.byStart[x.Start] = len(m.ranges)
	m.ranges = append(m.ranges, VirtualPointerRow{StartPtr: x.Start, Size: x.Size, CtxID: x.Ctx, PhyMemID: int(x.Block), OwnerPid: x.Pid,
		SourceType: x.Kind.String(), Policy: x.Policy &^ (policyTS | policyWrapped), Name: x.Name.String(), Life: Life{Created: m.r.now()}})
}

// RangeFreed implements mem.Observer.
func (m *memoryRows) RangeFreed(x mem.Range) {
	if i, ok := m.byStart[x.Start]; ok {
		m.ranges[i].Gone, m.ranges[i].Destroyed = true, m.r.now()
		delete(m.byStart, x.Start)
	}
}

// IpcMemRow is a row of table ipc_mem_record.
type IpcMemRow struct {
	IpcID     int      `col:"ipc_id" key:"pk"`
	StartPtr  mem.Addr `col:"start_ptr" key:"virtual_pointer.start_ptr"`
	PhyMemID  int      `col:"phy_mem_id" key:"phy_mem_block.phy_mem_id"`
	NameOrKey string   `col:"name_or_key"`
	CreatePid int      `col:"create_pid"`
	Offset    int64    `col:"offset"` // of the shared bytes in the range
	Size      int64    `col:"size"`
	Life
}

// IpcWhiteListRow is a row of table ipc_mem_white_list.
type IpcWhiteListRow struct {
	IpcID     int `col:"ipc_id" key:"ipc_mem_record.ipc_id"`
	Pid       int `col:"pid"`
	CreatePid int `col:"create_pid"`
}

// FdMemRow is a row of table fd_mem_record.
type FdMemRow struct {
	Fd       uint64 `col:"fd" key:"pk"`
	PhyMemID int    `col:"phy_mem_id" key:"phy_mem_block.phy_mem_id"`
	Name     string `col:"name"`
	Type     string `col:"type"` // default, or fabric for one that other servers may import
	Life
}

// FdWhiteListRow is a row of table fd_mem_white_list.
type FdWhiteListRow struct {
	Fd        uint64 `col:"fd" key:"fd_mem_record.fd"`
	Pid       int    `col:"pid"`
	CreatePid int    `col:"create_pid"`
}

// MemMapRow is a row of table mem_map_record: a second address of memory.
type MemMapRow struct {
	Ptr      mem.Addr `col:"ptr" key:"virtual_pointer.start_ptr"` // of the range; of a mapping, its reservation
	Address  mem.Addr `col:"address"`
	PhyMemID int      `col:"phy_mem_id" key:"phy_mem_block.phy_mem_id"`
	Size     int64    `col:"size"`
	Life
}

func (r *Runtime) memoryTables() []Table {
	m := &r.memory
	if r.rows == nil {
		m = &memoryRows{r: r, byBlock: map[mem.BlockID]int{}, byStart: map[mem.Addr]int{}}
		m.fill()
	}
	return []Table{
		table("phy_mem_block", func(yield func(PhyMemBlockRow)) {
			for _, row := range m.blocks {
				if b, ok := r.mem.Block(mem.BlockID(row.PhyMemID)); ok && !row.Gone {
					row.RefCount = b.Refs()
				}
				yield(row)
			}
		}),
		table("virtual_pointer", func(yield func(VirtualPointerRow)) {
			for _, row := range m.ranges {
				yield(row)
			}
		}),
		table("ipc_mem_record", func(yield func(IpcMemRow)) {
			r.ipcMemory.each(func(k *ipcMemory) {
				yield(IpcMemRow{k.id, k.addr.Start(), int(k.block), k.key, k.p.pid, k.addr.Offset(), k.size, k.Life})
			})
		}),
		table("ipc_mem_white_list", func(yield func(IpcWhiteListRow)) {
			r.ipcMemory.each(func(k *ipcMemory) {
				for _, pid := range k.pids {
					yield(IpcWhiteListRow{k.id, pid, k.p.pid})
				}
			})
		}),
		table("fd_mem_record", func(yield func(FdMemRow)) {
			r.shares.each(func(s *shareable) {
				kind := "default"
				if s.across {
					kind = "fabric"
				}
				yield(FdMemRow{s.fd, int(s.of.block), s.of.String(), kind, s.Life})
			})
		}),
		table("fd_mem_white_list", func(yield func(FdWhiteListRow)) {
			r.shares.each(func(s *shareable) {
				for _, pid := range s.allowed() {
					yield(FdWhiteListRow{s.fd, pid, s.of.p.pid})
				}
			})
		}),
		table("mem_map_record", func(yield func(MemMapRow)) {
			r.maps.each(func(m *memoryMap) { yield(MemMapRow{m.ptr.Start(), m.ptr, int(m.block), m.size, m.Life}) })
		}),
	}
}
