// The types of pgpass, which has none of its own.
declare module 'pgpass' {
  const pgpass: {
    (session: import('pg').ClientConfig, done: (password: string | undefined) => void): void
    warnTo(stream: undefined): void
  }
  export default pgpass
}
