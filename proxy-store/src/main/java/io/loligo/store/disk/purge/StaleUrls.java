package io.loligo.store.disk.purge;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Compares stored responses with purged patterns. Of a response that a soft one covers, it notes
 * the URL as softly purged, in the directory and in memory: then the pattern may be forgotten.
 * Thread-safe: disk threads.
 */
public final class StaleUrls {
  private final PurgeFile file;

  /** The purges of the process; null until they are loaded: before anything is compared. */
  private volatile @Nullable Purges known;

  /** Notes URLs in {@code file}. */
  public StaleUrls(PurgeFile file) {
    this.file = file;
  }

  /** URLs are noted in {@code purges} too. */
  public void alsoIn(Purges purges) {
    known = purges;
  }

  /**
   * Whether a hard one of {@code bans} covers the response of {@code first}, its first block.
   *
   * @throws UncheckedIOException if a soft one covers it, and its URL cannot be noted
   */
  public boolean isGone(ByteBuf first, Iterable<Ban> bans) {
    CacheKey key = FirstBlock.key(first);
    long asked = FirstBlock.meta(first).requestTimeMillis();
    long stale = Purges.KEPT;
    for (Ban ban : bans) {
      if (ban.covers(key, asked)) {
        if (!ban.soft()) {
          return true;
        }
        stale = Math.max(stale, ban.millis());
      }
    }
    if (stale != Purges.KEPT) {
      note(CacheGroups.ofUrl(key), stale);
    }
    return false;
  }

  private void note(long url, long millis) {
    try {
      file.mark(Table.SOFT_URL, new long[] {url}, millis);
    } catch (IOException e) {
      throw new UncheckedIOException("a soft purge cannot be noted", e);
    }
    Purges purges = known;
    if (purges != null) {
      // not mark(): each hit would be judged again, and the pattern covers them all still
      purges.load(Table.SOFT_URL, url, millis);
    }
  }
}
