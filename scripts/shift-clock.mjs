// Loaded before svc by the soak of the fleet and by recordings: moves the clock of the process by SHIFT_CLOCK_MS, as on a host whose
// clock is wrong.
const shiftMs = Number(process.env['SHIFT_CLOCK_MS'] ?? 0)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs)
    else super(...parts)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}
