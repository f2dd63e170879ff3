// Everything that goes over the wire.
export * from './event.ts'
export * from './message.ts'
export * from './part.ts'
export * from './request.ts'
export * from './session.ts'
