// A reply that is already JSON text, so that a long list is not parsed and serialized again.

// A value as its JSON text, which the log parses if it has not just done so.
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class SerializedJson {
  readonly text: string
  // What the log gets instead of the whole value.
  readonly outline: unknown

  constructor(text: string, outline: unknown) {
    this.text = text
    this.outline = outline
  }
}
