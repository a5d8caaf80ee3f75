package io.loligo.server.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.store.purge.Ban;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The versions that a tier may still have: it may lose everything, but there is a moment from which
 * a version is never found again. Confined to one thread.
 */
final class TierModel {
  static final long NEVER = Long.MAX_VALUE;

  /** Selections: none, and two. */
  static final int SELECTIONS = 3;

  /** One response. */
  static final class Version {
    final int number;
    final int key;
    final int selection;

    /** Whose content it has: another one's where it has been made fresh. */
    final int content;

    final int length;
    final long askedMillis;
    final boolean arrives;
    long begun = NEVER;
    long ended = NEVER;

    /** From when on it is not found. */
    long dead = NEVER;

    /** It is not found after a kill, nor a power failure. */
    boolean deadForKill;

    boolean deadForPower;

    private Version(
        int number,
        int key,
        int selection,
        int content,
        int length,
        long askedMillis,
        boolean arrives) {
      this.number = number;
      this.key = key;
      this.selection = selection;
      this.content = content;
      this.length = length;
      this.askedMillis = askedMillis;
      this.arrives = arrives;
    }

    /** Whether a removal now covers it. */
    boolean isOver() {
      return arrives ? ended != NEVER : begun != NEVER;
    }

    @Override
    public String toString() {
      return "version %d of %s/%d, %d bytes, begun %s, ended %s, dead %s%s%s"
          .formatted(
              number,
              TierModel.key(key),
              selection,
              length,
              text(begun),
              text(ended),
              text(dead),
              deadForKill ? ", for kills" : "",
              deadForPower ? ", for power failures" : "");
    }

    private static String text(long moment) {
      return moment == NEVER ? "-" : Long.toString(moment);
    }
  }

  private final List<Version> all = new ArrayList<>();
  private final List<Ban> bans = new ArrayList<>();
  private long now;

  /** Moments have an order. */
  long now() {
    return ++now;
  }

  // ---- states

  static CacheKey key(int key) {
    byte[] bytes = ("http://h/k" + key).getBytes(StandardCharsets.ISO_8859_1);
    return new KeyProbe().append(bytes, 0, bytes.length).seal().toKey();
  }

  private static Fields fields(String name, String value) {
    byte[] bytes = (name + value).getBytes(StandardCharsets.ISO_8859_1);
    Fields fields = new Fields(1);
    fields.clear(bytes);
    fields.add(FieldName.of(name), 0, name.length(), name.length(), bytes.length);
    return fields;
  }

  /** A request that selects {@code selection}. */
  static Fields request(int selection) {
    return selection == 0 ? new Fields(1) : fields("accept", "text/" + selection);
  }

  static VarySelection vary(int selection) {
    return selection == 0
        ? null
        : VarySelection.of(false, request(selection), fields("vary", "accept"));
  }

  static StoredMeta meta(Version of) {
    return StoredMeta.builder(200)
        .requestTimeMillis(of.askedMillis)
        .responseTimeMillis(of.askedMillis)
        .dateMillis(of.askedMillis)
        .lifetimeSeconds(60)
        .etag(("\"" + of.number + "\"").getBytes(StandardCharsets.ISO_8859_1))
        .vary(vary(of.selection))
        .contentLength(of.length)
        .build();
  }

  static byte[] content(Version of) {
    byte[] bytes = new byte[of.length];
    SplittableRandom random = new SplittableRandom(of.content * 31_337L);
    ByteBuffer into = ByteBuffer.wrap(bytes);
    while (into.remaining() >= Long.BYTES) {
      into.putLong(random.nextLong());
    }
    return bytes;
  }

  // ---- events

  /**
   * Another version, which no reader has yet.
   *
   * @param content the version whose content it has; null: its own
   * @param arrives whether others may come and go while it is being stored
   */
  Version add(
      int key, int selection, Version content, int length, long askedMillis, boolean arrives) {
    int number = all.size();
    Version added =
        new Version(
            number,
            key,
            selection,
            content == null ? number : content.content,
            length,
            askedMillis,
            arrives);
    all.add(added);
    return added;
  }

  private void die(Predicate<Version> which) {
    long moment = now();
    for (Version version : all) {
      if (version.dead == NEVER && which.test(version)) {
        version.dead = moment;
      }
    }
  }

  private static boolean isBeside(Version one, Version newer) {
    return one != newer
        && one.key == newer.key
        // a freshened response stays beside variants that came later
        && (one.selection == newer.selection
            || (newer.selection == 0 && newer.content == newer.number));
  }

  /**
   * {@code version} is given to the tier as a whole: the version that it replaces is hidden at
   * once.
   */
  void writes(Version version) {
    version.begun = now();
    die(one -> isBeside(one, version) && one.isOver());
  }

  /** {@code version} may be found from now on, in place of others or not. */
  void begins(Version version) {
    version.begun = now();
  }

  /** Everything before the beginning of {@code version} is gone. */
  void replaces(Version version) {
    die(one -> isBeside(one, version) && one.ended < version.begun);
  }

  /** Nothing under {@code key} is found from now on; which were that. */
  List<Version> removes(int key) {
    die(one -> one.key == key && one.begun != NEVER);
    return all.stream().filter(one -> one.key == key && one.dead != NEVER).toList();
  }

  /** A failed version drops the stored ones, except for those that may be arriving. */
  void supersedes(int key) {
    die(one -> one.key == key && one.isOver());
  }

  /** Nothing at all is found from now on. */
  void removesAll() {
    die(one -> one.begun != NEVER);
  }

  /** {@code version} was removed before it could be found. */
  void stillborn(Version version) {
    version.dead = Math.min(version.dead, now());
  }

  void banned(Ban ban) {
    bans.add(ban);
  }

  /** Operations under keys without pending ones have ended. */
  void end(Predicate<Version> isThrough) {
    long moment = now();
    for (Version version : all) {
      if (version.begun != NEVER && version.ended == NEVER && isThrough.test(version)) {
        version.ended = moment;
      }
    }
  }

  /** The present removals were recorded. */
  void settles() {
    for (Version version : all) {
      version.deadForKill |= version.dead != NEVER;
    }
  }

  /** The process ended at once: removals that were not recorded may be undone. */
  void crashes(boolean power) {
    long moment = now();
    for (Version version : all) {
      boolean stays = power ? version.deadForPower : version.deadForKill;
      if (version.begun == NEVER) {
        version.begun = moment; // was arriving: it may have been stored by then
      }
      version.ended = Math.min(version.ended, moment);
      version.dead = stays ? 0 : NEVER;
      version.deadForKill &= stays;
    }
  }

  /** The process ended cleanly: arriving responses are no longer stored. */
  void closes() {
    end(one -> true);
    for (Version version : all) {
      version.deadForKill |= version.dead != NEVER;
    }
  }

  // ---- observations

  /** The version that {@code meta} is of. */
  Version of(StoredMeta meta) {
    String text = new String(meta.etag(), StandardCharsets.ISO_8859_1);
    return all.get(Integer.parseInt(text.substring(1, text.length() - 1)));
  }

  /** {@code version} is found by a look-up of a key that began at {@code since}. */
  void found(Version version, int key, int selection, StoredMeta meta, long since) {
    assertThat(version.key).as("key of %s", version).isEqualTo(key);
    assertThat(meta.contentLength()).as("length of %s", version).isEqualTo(version.length);
    assertThat(meta.requestTimeMillis()).isEqualTo(version.askedMillis);
    if (selection >= 0 && version.selection != 0 && version.selection != selection) {
      fail("not selected by %s: %s", selection, version);
    }
    if (version.begun == NEVER) {
      fail("never stored: %s", version);
    }
    if (version.dead < since) {
      fail("found by who looked from %s on: %s", since, version);
    }
    for (Ban ban : bans) {
      if (ban.covers(key(key), version.askedMillis)) {
        fail("covered by %s: %s", ban, version);
      }
    }
    // variants that it replaced may have come back beside it, where the power failed
    die(one -> one.key == key && one.selection == version.selection && one.ended < version.begun);
  }

  /** All of {@code of}. */
  static void same(Version of, byte[] bytes, int from) {
    byte[] expected = content(of);
    for (int i = 0; i < bytes.length; i++) {
      if (expected[from + i] != bytes[i]) {
        fail("byte %s is another: %s", from + i, of);
      }
    }
  }
}
