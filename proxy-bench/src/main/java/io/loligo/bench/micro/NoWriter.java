package io.loligo.bench.micro;

import io.loligo.store.inflight.InFlight;

/** A writer that gives all at once and need not be told anything. Stateless. */
public final class NoWriter implements InFlight.Writer {
  @Override
  public void resume() {}

  @Override
  public void deserted() {}
}
