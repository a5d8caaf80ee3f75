package io.loligo.server.helper;

/** A running child. Thread-safe: any thread; no method blocks. */
interface ChildProcess {
  /** Writes {@code line}, which has its end. Lines are written in the order of the calls. */
  void send(byte[] line);

  /** Closes its input after all lines are written, so that it ends by itself. */
  void finish();

  /** Ends it, and the processes that it has started. */
  void kill();

  /** Starts children. Thread-safe: any thread. */
  interface Starter {
    /** Starts a child; does not block. {@code events} is told everything, failures to start too. */
    ChildProcess start(HelperProgram program, int number, Events events);
  }

  /** Is told about one child, by the threads of it. */
  interface Events {
    /** It has written a line, given without its end. The array is the callee's from now on. */
    void line(byte[] line);

    /** It has written something that is no line: too long, for example. It must be ended. */
    void garbage(String why);

    /** Its process has ended; some lines may follow. */
    void exited();

    /**
     * It is gone, and nothing follows. Called once.
     *
     * @param how the reason, for the log
     */
    void gone(String how);
  }
}
