package io.loligo.store.disk.purge;

import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The purges of a directory that were carried out without looking for responses: buckets of names
 * with moments, and a list of patterns (see {@code docs/disk-format.md}). A purge writes the
 * buckets of its names; forcing the file then writes only these to the disk. Thread-safe: disk
 * threads; guarded by {@code this}.
 */
public final class PurgeFile implements AutoCloseable {
  private static final long MAGIC = 0x4C4F4C49474F5052L;
  private static final Logger LOG = LoggerFactory.getLogger(PurgeFile.class);
  private static final int BANS_AT = FileSizes.BANS_AT;
  private static final int BAN_BYTES = FileSizes.BAN_BYTES;
  private static final int BUCKETS_AT = FileSizes.BUCKETS_AT;
  private static final int READ_BYTES = 128 << 10;

  // checksum 4, bytes after it 4, moment 8, bytes of host 4
  private static final int BAN_FIXED_BYTES = 20;

  /** Of the bytes of the host: the pattern is soft. */
  private static final int SOFT_BIT = 1 << 31;

  /** The same: no pattern, but everything is validated before its next use. */
  private static final int VALIDATE_BIT = 1 << 30;

  private static final int NO_SLOT = -1;

  @SuppressWarnings("NullAway.Init") // set by begin, before other threads know it
  private FileChannel file;

  private int buckets;
  private final Ban[] bans = new Ban[Purges.MAX_BANS];
  private final PurgeBucket bucket = new PurgeBucket();

  /** Everything requested until then is validated before its next use; 0: nothing. */
  private long validateMillis;

  /** Its place among the patterns. */
  private int validateSlot = NO_SLOT;

  /** Not open yet: {@link #begin} comes before every other call but {@link #close}. */
  public PurgeFile() {}

  /** A new one, open: see {@link #begin}. */
  static PurgeFile open(Path path, Path header, long totalBytes, Medium medium) throws IOException {
    PurgeFile opened = new PurgeFile();
    opened.begin(path, header, totalBytes, medium);
    return opened;
  }

  /**
   * Opens the one at {@code path} of a directory of {@code totalBytes}. If there is none of this
   * version and size, or of the size that the directory had before it grew, or it is damaged, a new
   * one is created, and {@code header} is deleted first: the purges of its responses are unknown.
   * Of an intact record of a kind that is not known here, which a later version has added, the
   * moment is: it counts as a purge of everything until then.
   */
  public synchronized void begin(Path path, Path header, long totalBytes, Medium medium)
      throws IOException {
    int wanted = FileSizes.purgeBuckets(totalBytes);
    int present = Files.exists(path) ? FileSizes.purgeBucketsIn(Files.size(path)) : 0;
    if (present > 0 && present <= wanted) {
      use(channel(path), present);
      if (isSound()) {
        try {
          replaceUnknownCells(path);
        } catch (IOException | RuntimeException e) {
          close();
          throw e;
        }
        return;
      }
      Arrays.fill(bans, null);
      validateMillis = 0;
      validateSlot = NO_SLOT;
    }
    Files.deleteIfExists(header);
    Files.deleteIfExists(path);
    medium.allocate(path, FileSizes.purges(totalBytes));
    use(channel(path), wanted);
    write(ByteBuffer.allocate(16).putLong(MAGIC).putInt(Marks.VERSION).putInt(wanted).flip(), 0);
  }

  private void use(FileChannel opened, int bucketsInIt) {
    file = opened;
    buckets = bucketsInIt;
  }

  private static FileChannel channel(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private boolean isSound() throws IOException {
    boolean sound = false;
    try {
      ByteBuffer begin = ByteBuffer.allocate(BUCKETS_AT);
      sound =
          read(begin, 0)
              && begin.getLong(0) == MAGIC
              && begin.getInt(8) == Marks.VERSION
              && begin.getInt(12) == buckets
              && readBans(begin);
      return sound;
    } finally {
      if (!sound) {
        file.close();
      }
    }
  }

  /** False if the file ends before. */
  private boolean read(ByteBuffer into, long place) throws IOException {
    int begin = into.position();
    while (into.hasRemaining()) {
      if (file.read(into, place + into.position() - begin) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Looks at {@link #bucket}, which has the bytes of bucket {@code number} if it could be read. */
  private interface Look {
    void at(int number, boolean read);
  }

  private void lookAtAll(Look look) {
    ByteBuffer part = ByteBuffer.allocate(READ_BYTES);
    for (int from = 0; from < buckets; from += READ_BYTES / PurgeBucket.BYTES) {
      boolean read;
      try {
        read = read(part.clear(), place(from));
      } catch (IOException damaged) {
        read = false;
      }
      for (int at = 0; at < READ_BYTES; at += PurgeBucket.BYTES) {
        int number = from + at / PurgeBucket.BYTES;
        bucket.begin(number).put(part.clear().position(at).limit(at + PurgeBucket.BYTES));
        look.at(number, read);
      }
    }
  }

  /** Passes all of it to {@code purges}, before anything is served. */
  public synchronized void loadInto(Purges purges) {
    lookAtAll(
        (number, read) -> {
          if (read && bucket.isWhole()) {
            bucket.loadInto(purges, buckets);
          } else {
            // name and moment are lost: all names of the bucket now count as purged
            for (Table table : Table.values()) {
              purges.loadFloor(table, number, buckets, purges.now());
            }
          }
        });
    for (Ban ban : bans) {
      if (ban != null) {
        purges.ban(ban);
      }
    }
    if (validateMillis > 0) {
      purges.validateUntil(validateMillis);
    }
  }

  /** Puts one pattern, for everything, in the place of all cells of unknown kinds. */
  private void replaceUnknownCells(Path path) throws IOException {
    Map<Integer, Long> found = new HashMap<>();
    lookAtAll(
        (number, read) -> {
          long unknown = read ? bucket.unknownMillis() : 0;
          if (unknown > 0) {
            found.put(number, unknown);
          }
        });
    if (found.isEmpty()) {
      return;
    }
    long millis = Collections.max(found.values());
    banEverything(millis);
    force();
    for (int number : found.keySet()) {
      readBucket(number);
      bucket.clearUnknown();
      write(bucket.bytes(), place(number));
    }
    LOG.warn(
        "{} has purges of a kind that a later version has added: all responses requested until {}"
            + " are dropped; next: expect misses for a while",
        path,
        Instant.ofEpochMilli(millis));
  }

  /** Where there is no room for one more, it takes the place of the oldest, and its moment. */
  private void banEverything(long millis) throws IOException {
    long until = millis;
    if (freeSlot() == NO_SLOT) {
      int oldest = 0;
      for (int i = 1; i < bans.length; i++) {
        oldest = millis(i) < millis(oldest) ? i : oldest;
      }
      until = Math.max(until, millis(oldest));
      bans[oldest] = null;
    }
    ban(everythingUntil(until));
  }

  /** Of a pattern that may give its place. */
  private long millis(int slot) {
    Ban ban = bans[slot];
    return ban == null ? Long.MAX_VALUE : ban.millis();
  }

  private static int place(int number) {
    return BUCKETS_AT + number * PurgeBucket.BYTES;
  }

  /** False if one is damaged. */
  private boolean readBans(ByteBuffer begin) {
    boolean sound = true;
    for (int i = 0; i < bans.length; i++) {
      ByteBuffer bytes = begin.slice(BANS_AT + i * BAN_BYTES, BAN_BYTES);
      if (bytes.getInt(4) == 0 && bytes.getInt(0) == 0) {
        continue;
      }
      if (isIntact(bytes) && bytes.getInt(16) == VALIDATE_BIT) {
        if (validateSlot == NO_SLOT || bytes.getLong(8) > validateMillis) {
          validateSlot = i;
          validateMillis = bytes.getLong(8);
        }
      } else if (isIntact(bytes)) {
        Ban known = ban(bytes);
        bans[i] = known == null ? everythingUntil(bytes.getLong(8)) : known;
      } else {
        sound = false;
      }
    }
    return sound;
  }

  private static boolean isIntact(ByteBuffer bytes) {
    int length = bytes.getInt(4);
    return length >= BAN_FIXED_BYTES
        && length <= BAN_BYTES
        && bytes.getInt(0) == crc(bytes, length);
  }

  /** A hard one, because the unknown one may be hard: a 304 must not bring back its responses. */
  private static Ban everythingUntil(long millis) {
    return new Ban(millis, UrlPattern.of("", "^"));
  }

  /** The pattern in {@code bytes}, which are intact; null: it is of an unknown kind. */
  private static @Nullable Ban ban(ByteBuffer bytes) {
    int length = bytes.getInt(4);
    int hostLength = bytes.getInt(16) & ~SOFT_BIT;
    boolean soft = (bytes.getInt(16) & SOFT_BIT) != 0;
    byte[] text = new byte[length - BAN_FIXED_BYTES];
    bytes.get(BAN_FIXED_BYTES, text);
    try {
      String host = new String(text, 0, hostLength, StandardCharsets.UTF_8);
      String regex = new String(text, hostLength, text.length - hostLength, StandardCharsets.UTF_8);
      return new Ban(bytes.getLong(8), UrlPattern.of(host, regex), soft);
    } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
      return null;
    }
  }

  private static int crc(ByteBuffer bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(4).limit(length));
    return (int) crc.getValue();
  }

  /** Records a purge of {@code numbers}: writes the bucket of each, and no more. */
  public synchronized void mark(Table table, long[] numbers, long millis) throws IOException {
    for (long name : numbers) {
      readBucket(name);
      // a damaged bucket purges all its names at the next start, and stays damaged
      if (bucket.isWhole() && bucket.put(table, name, millis)) {
        write(bucket.bytes(), place(number(name)));
      }
    }
  }

  private int number(long name) {
    return (int) name & (buckets - 1);
  }

  private void readBucket(long name) throws IOException {
    if (!read(bucket.begin(number(name)), place(number(name)))) {
      throw new IOException("the file purges was cut short");
    }
  }

  /**
   * Records a ban, in place of an older one of the same pattern; a newer one, which another thread
   * may have written first, stays.
   */
  public synchronized void ban(Ban ban) throws IOException {
    int slot = freeSlot();
    for (int i = bans.length - 1; i >= 0; i--) {
      Ban other = bans[i];
      if (other != null && other.replaces(ban)) {
        return;
      }
      if (other != null && ban.replaces(other)) {
        slot = i;
      }
    }
    if (slot == NO_SLOT) {
      throw new IOException("no room for one more pattern");
    }
    byte[] host = ban.pattern().host().getBytes(StandardCharsets.UTF_8);
    byte[] regex = ban.pattern().regex().getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(BAN_BYTES);
    int length = BAN_FIXED_BYTES + host.length + regex.length;
    int soft = ban.soft() ? SOFT_BIT : 0;
    bytes.putInt(4, length).putLong(8, ban.millis()).putInt(16, host.length | soft);
    bytes.put(BAN_FIXED_BYTES, host).put(BAN_FIXED_BYTES + host.length, regex);
    bytes.putInt(0, crc(bytes, length));
    write(bytes, BANS_AT + slot * BAN_BYTES);
    bans[slot] = ban;
    for (int i = 0; i < bans.length; i++) {
      Ban other = bans[i];
      if (i != slot && other != null && ban.replaces(other)) {
        clear(i);
      }
    }
  }

  /** {@link #NO_SLOT}: all are in use. */
  private int freeSlot() {
    for (int i = 0; i < bans.length; i++) {
      if (bans[i] == null && i != validateSlot) {
        return i;
      }
    }
    return NO_SLOT;
  }

  /**
   * Records that everything requested until {@code millis} is validated before its next use. Where
   * there is no room for that, it is dropped.
   */
  public synchronized void validateUntil(long millis) throws IOException {
    if (millis <= validateMillis) {
      return;
    }
    int slot = validateSlot == NO_SLOT ? freeSlot() : validateSlot;
    if (slot == NO_SLOT) {
      banEverything(millis);
      return;
    }
    ByteBuffer bytes = ByteBuffer.allocate(BAN_BYTES);
    bytes.putInt(4, BAN_FIXED_BYTES).putLong(8, millis).putInt(16, VALIDATE_BIT);
    bytes.putInt(0, crc(bytes, BAN_FIXED_BYTES));
    write(bytes, BANS_AT + slot * BAN_BYTES);
    validateSlot = slot;
    validateMillis = millis;
  }

  private void clear(int slot) throws IOException {
    write(ByteBuffer.allocate(BAN_BYTES), BANS_AT + slot * BAN_BYTES);
    bans[slot] = null;
  }

  /** The last purge of {@code number}; 0: never. */
  synchronized long moment(Table table, long number) throws IOException {
    readBucket(number);
    return bucket.millis(table, number);
  }

  /** Patterns that were not yet compared with the whole directory. */
  public synchronized List<Ban> bans() {
    return Arrays.stream(bans).filter(Objects::nonNull).toList();
  }

  /** Everything was compared with {@code through}. May wait for the disk. */
  public synchronized void retire(List<Ban> through) throws IOException {
    if (through.stream().anyMatch(Ban::soft)) {
      force(); // the URLs that were noted in their place come first
    }
    for (int i = 0; i < bans.length; i++) {
      if (bans[i] != null && through.contains(bans[i])) {
        clear(i);
      }
    }
  }

  /** Forces all earlier writes to the disk. */
  public void force() throws IOException {
    file.force(false);
  }

  private void write(ByteBuffer bytes, int place) throws IOException {
    for (int at = place; bytes.hasRemaining(); ) {
      at += file.write(bytes, at);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
