package io.loligo.server.record;

/** Takes finished exchanges: one per event loop, called on it, exactly once per exchange. */
public interface ExchangeSink {
  /** Borrows {@code record}: nothing of it may be kept. */
  void finished(ExchangeRecord record);

  /** A sink that calls this one, then {@code next}. */
  default ExchangeSink then(ExchangeSink next) {
    return record -> {
      finished(record);
      next.finished(record);
    };
  }
}
