package io.loligo.store.disk.read;

import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.core.range.JoinedParts;
import io.loligo.store.disk.index.IndexedResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The responses under one key that a request selects: the preferred whole response, or else parts.
 * A load and a look select with it alike; they differ in how they read. Confined to one thread.
 *
 * @param <T> a response that was read; owned by this
 */
abstract class Candidates<T> {
  private final List<T> parts = new ArrayList<>(0);
  private @Nullable T whole;

  /** Reads {@code variant}; null if it cannot be read, or the request does not select it. */
  abstract @Nullable T read(IndexedResponse variant) throws IOException;

  abstract StoredMeta meta(T read);

  /** Takes {@code read}, which is not needed. */
  abstract void letGo(T read);

  /** {@code part} is not needed, because there is a whole response. */
  void skip(IndexedResponse part) throws IOException {}

  /** Reads {@code variants}. Parts are read only if there is no whole response. */
  final void readAll(List<IndexedResponse> variants) throws IOException {
    for (IndexedResponse variant : variants) {
      if (!variant.part()) {
        add(read(variant));
      }
    }
    for (IndexedResponse variant : variants) {
      if (variant.part() && whole == null) {
        add(read(variant));
      } else if (variant.part()) {
        skip(variant);
      }
    }
  }

  private void add(@Nullable T read) {
    if (read == null) {
      return;
    }
    T before = whole;
    if (meta(read).part() != null) {
      parts.add(read);
    } else if (before == null || !VarySelection.prefers(meta(before), meta(read))) {
      whole = read;
      if (before != null) {
        letGo(before);
      }
    } else {
      letGo(read);
    }
  }

  /** The preferred whole response; null if there is none. */
  final @Nullable T whole() {
    return whole;
  }

  /** The parts, in the order of reading. */
  final List<T> parts() {
    return parts;
  }

  /** The parts that answer {@code request} together. Legal if there are parts. */
  final JoinedParts joined(Fields request) {
    return JoinedParts.of(parts.stream().map(this::meta).toList(), request);
  }

  final void letGoAll() {
    T last = whole;
    whole = null;
    if (last != null) {
      letGo(last);
    }
    parts.forEach(this::letGo);
    parts.clear();
  }
}
