package io.loligo.server.exchange.settings;

import io.loligo.core.config.Directive;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.SizeLimitLines;
import io.loligo.core.config.SizeLimits;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.DiskDirectives;

/**
 * Reads {@code loligo_slice_size}. Warns of slices that neither memory nor a cache_dir could store.
 * Confined to one thread.
 */
final class SliceLines implements LineReader<SizeLimits> {
  private final Reading reading;
  private final SizeLimitLines limits;

  SliceLines(Directive directive, Reading reading) {
    this.reading = reading;
    limits = new SizeLimitLines(directive, reading, RuleScope.REQUEST);
  }

  @Override
  public void read(Line line) {
    limits.read(line);
  }

  @Override
  public SizeLimits value() {
    long most =
        Math.max(
            MemorySettings.largestObject(reading),
            reading.value(DiskDirectives.CACHE_DIR).largestObject());
    limits.warnAbove(
        most,
        "no more than " + most + " bytes",
        "no slice would be stored: raise maximum_object_size_in_memory, or maximum_object_size or"
            + " max-size of a cache_dir");
    return limits.value();
  }
}
