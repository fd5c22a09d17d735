// A reply that is already JSON text, so that a long list is not parsed and serialized again.
export class SerializedJson {
  readonly text: string
  // What the log gets instead of the whole value.
  readonly outline: unknown

  constructor(text: string, outline: unknown) {
    this.text = text
    this.outline = outline
  }
}
