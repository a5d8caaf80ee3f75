package io.loligo.server.jfr;

import org.jspecify.annotations.Nullable;

/**
 * Begins the events. Thread-safe: any thread.
 *
 * <p>Without a recording that wants an event, a call returns null and allocates nothing. On a Java
 * runtime without the module {@code jdk.jfr}, it always returns null: no class of an event is
 * loaded then, because their superclass is missing.
 */
public final class FlightEvents {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightEvents() {}

  /** An exchange begins; null: nothing records it. */
  public static @Nullable ExchangeEvent exchange() {
    return PRESENT ? ExchangeEvent.begun() : null;
  }

  /** A handshake begins; null: nothing records it. */
  public static @Nullable TlsHandshakeEvent tlsHandshake() {
    return PRESENT ? TlsHandshakeEvent.begun() : null;
  }

  /** A helper is asked; null: nothing records it. */
  public static @Nullable HelperCallEvent helperCall() {
    return PRESENT ? HelperCallEvent.begun() : null;
  }
}
