package io.loligo.server.record;

/** Takes note of finished exchanges: one per event loop, called on it, exactly once an exchange. */
public interface ExchangeSink {
  /** Borrows {@code record}: nothing of it may be kept. */
  void finished(ExchangeRecord record);

  /** A sink that tells this one, then {@code next}. */
  default ExchangeSink then(ExchangeSink next) {
    return record -> {
      finished(record);
      next.finished(record);
    };
  }
}
