package acl

// Handle is the number by which a program knows an object of its process: 0 is
// null, a number that was never given out is wild. Numbers are not given out
// twice, and are multiples of 8, so that a number near a handle is wild too.
type Handle uint32

// HandleKind is what a handle names.
type HandleKind uint8

// The kinds of handle.
const (
	HandleContext HandleKind = iota + 1
	HandleStream
	HandleEvent
	HandleNotify
	HandleImage
	HandleBinary
	HandleFunction
	HandleArgs
	HandlePhysical
	HandleCcuBuf
	HandleVariable
	HandleModel
	HandleTaskGroup
	HandleConfig
	numHandleKinds
)

const (
	handleStep  = 8
	handleShift = 27
	handleMask  = 1<<handleShift - 1
)

// handles are the objects of one process by kind and number.
type handles [numHandleKinds][]any

// kindOfObject is the kind of an object, 0 for one that programs have no handle of.
func kindOfObject(x any) HandleKind {
	switch x.(type) {
	case *Context:
		return HandleContext
	case *Stream:
		return HandleStream
	case *Event:
		return HandleEvent
	case *Notify:
		return HandleNotify
	case *BinaryImage:
		return HandleImage
	case *Binary:
		return HandleBinary
	case *Function:
		return HandleFunction
	case *KernelArgs:
		return HandleArgs
	case *PhysHandle:
		return HandlePhysical
	case *CcuBuf:
		return HandleCcuBuf
	case *Variable:
		return HandleVariable
	case *Model:
		return HandleModel
	case *TaskGroup:
		return HandleTaskGroup
	}
	return 0
}

// HandleOf is the number of an object in its process, the same at every call; 0
// for nil.
func HandleOf[T any, P held[T]](p *Process, x P) Handle {
	if x == nil {
		return 0
	}
	k, o := kindOfObject(x), x.base()
	if o.handle == 0 && k != 0 {
		p.handles[k] = append(p.handles[k], x)
		o.handle, o.owner = Handle(k)<<handleShift|Handle(len(p.handles[k])*handleStep), p
	}
	return o.handle
}

// buried is what is left of a destroyed object that programs make in great
// numbers: its own number, for the message.
type buried int32

// bury lets go of a destroyed object behind a handle. Of what is made seldom, and
// where rows are kept, the object stays.
func (p *Process) bury(o *object) {
	switch k := HandleKind(o.handle >> handleShift); k {
	case HandleStream, HandleEvent, HandleNotify:
		p.handles[k][int(o.handle&handleMask)/handleStep-1] = buried(o.id)
	}
}

// exhume makes an object that calls refuse as a destroyed one.
func exhume[T any](p *Process, b buried) *T {
	if p.grave == nil {
		p.grave = &Context{p: p, use: p.uses[0]}
	}
	x := new(T)
	switch x := any(x).(type) {
	case *Stream:
		x.ctx = p.grave
	case *Event:
		x.ctx, x.res = p.grave, -1
	case *Notify:
		x.ctx = p.grave
	}
	o := any(x).(interface{ base() *object }).base()
	o.id, o.Gone = int(b), true
	return x
}

// lookup finds the object of a handle; nil for 0, and one of no process for a number
// that is no handle of the kind in this process. Destroyed objects are found: the call
// says that they are destroyed.
func lookup[T any](p *Process, k HandleKind, h Handle) *T {
	if h == 0 {
		return nil
	}
	i := int(h&handleMask)/handleStep - 1
	if HandleKind(h>>handleShift) != k || h%handleStep != 0 || i < 0 || i >= len(p.handles[k]) {
		return new(T)
	}
	if b, ok := p.handles[k][i].(buried); ok {
		return exhume[T](p, b)
	}
	return p.handles[k][i].(*T)
}

// Every wild handle resolves to an object of no process, which calls refuse.

// ContextOf, StreamOf and the other functions below resolve a program's handles.
func (p *Process) ContextOf(h Handle) *Context { return lookup[Context](p, HandleContext, h) }

// StreamOf resolves a stream.
func (p *Process) StreamOf(h Handle) *Stream { return lookup[Stream](p, HandleStream, h) }

// EventOf resolves an event.
func (p *Process) EventOf(h Handle) *Event { return lookup[Event](p, HandleEvent, h) }

// NotifyOf resolves a notify.
func (p *Process) NotifyOf(h Handle) *Notify { return lookup[Notify](p, HandleNotify, h) }

// ImageOf resolves the descriptor of a kernel image.
func (p *Process) ImageOf(h Handle) *BinaryImage { return lookup[BinaryImage](p, HandleImage, h) }

// BinaryOf resolves a loaded kernel image.
func (p *Process) BinaryOf(h Handle) *Binary { return lookup[Binary](p, HandleBinary, h) }

// FunctionOf resolves a function.
func (p *Process) FunctionOf(h Handle) *Function { return lookup[Function](p, HandleFunction, h) }

// ArgsOf resolves collected arguments.
func (p *Process) ArgsOf(h Handle) *KernelArgs { return lookup[KernelArgs](p, HandleArgs, h) }

// PhysicalOf resolves physical memory.
func (p *Process) PhysicalOf(h Handle) *PhysHandle {
	return lookup[PhysHandle](p, HandlePhysical, h)
}

// CcuBufOf resolves a buffer of a communication unit.
func (p *Process) CcuBufOf(h Handle) *CcuBuf { return lookup[CcuBuf](p, HandleCcuBuf, h) }

// VariableOf resolves a variable of a communication unit.
func (p *Process) VariableOf(h Handle) *Variable { return lookup[Variable](p, HandleVariable, h) }

// ModelOf resolves a captured model.
func (p *Process) ModelOf(h Handle) *Model { return lookup[Model](p, HandleModel, h) }

// TaskGroupOf resolves a task group of a model.
func (p *Process) TaskGroupOf(h Handle) *TaskGroup {
	return lookup[TaskGroup](p, HandleTaskGroup, h)
}
