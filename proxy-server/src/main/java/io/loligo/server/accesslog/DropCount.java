package io.loligo.server.accesslog;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A count written by one event loop and read by any thread. */
final class DropCount {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(DropCount.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private long value;

  /** For the owner. */
  void increment() {
    VALUE.setOpaque(this, value + 1);
  }

  long value() {
    return (long) VALUE.getOpaque(this);
  }
}
