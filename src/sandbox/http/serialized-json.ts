// A reply that is JSON text already, so that a long list need not be read and written again on its way.
export class SerializedJson {
  readonly text: string
  // What the log is shown of it.
  readonly outline: unknown

  constructor(text: string, outline: unknown) {
    this.text = text
    this.outline = outline
  }
}
