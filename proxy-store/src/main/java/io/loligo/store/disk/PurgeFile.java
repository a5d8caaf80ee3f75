package io.loligo.store.disk;

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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * What was purged without being looked for, written down beside what it concerns: tables of moments
 * and a list of patterns (see {@code docs/disk-format.md}). Thread-safe: disk threads; guarded by
 * {@code this}.
 */
final class PurgeFile implements AutoCloseable {
  private static final long MAGIC = 0x4C4F4C49474F5052L;
  static final int HEADER_BYTES = 64;
  static final int MOMENT_BYTES = 8;
  static final int BAN_BYTES = 1024;
  private static final int CHECK_BITS = 16;
  private static final int TABLES_END =
      HEADER_BYTES + Table.values().length * Purges.SLOTS * MOMENT_BYTES;

  /** Octets of the file. */
  static final int BYTES = TABLES_END + Purges.MAX_BANS * BAN_BYTES;

  // checksum 4, octets behind it 4, moment 8, octets of host 4
  private static final int BAN_FIXED_BYTES = 20;

  private final FileChannel file;
  private final long length;
  private final byte[] content;
  private final Ban[] bans = new Ban[Purges.MAX_BANS];

  private PurgeFile(FileChannel file, long length, byte[] content) {
    this.file = file;
    this.length = length;
    this.content = content;
  }

  /**
   * Opens the one at {@code path}. Where there is none of this version, or it is damaged, a new one
   * is begun, and {@code header} is deleted before: nobody knows what was purged from what is
   * there.
   */
  static PurgeFile open(Path path, Path header) throws IOException {
    PurgeFile there = Files.exists(path) ? read(path) : null;
    if (there != null && there.isSound()) {
      return there;
    }
    if (there != null) {
      there.close();
    }
    Files.deleteIfExists(header);
    Files.deleteIfExists(path);
    Files.write(path, new byte[BYTES]);
    PurgeFile begun = read(path);
    begun.write(ByteBuffer.allocate(12).putLong(MAGIC).putInt(Marks.VERSION).flip(), 0);
    return begun;
  }

  private static PurgeFile read(Path path) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      ByteBuffer all = ByteBuffer.allocate(BYTES);
      long length = file.size();
      while (all.hasRemaining() && file.read(all, all.position()) >= 0) {
        // on
      }
      return new PurgeFile(file, length, all.array());
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private boolean isSound() {
    ByteBuffer header = ByteBuffer.wrap(content);
    return length == BYTES
        && header.getLong(0) == MAGIC
        && header.getInt(8) == Marks.VERSION
        && readBans();
  }

  /** Tells {@code purges} all of it, before anything is served. */
  synchronized void loadInto(Purges purges) {
    for (Table table : Table.values()) {
      for (int slot = 0; slot < Purges.SLOTS; slot++) {
        long moment = ByteBuffer.wrap(content).getLong(place(table, slot));
        if (moment != 0) {
          long millis = moment >>> CHECK_BITS;
          // nobody knows when it was: then it was now
          purges.load(table, slot, isWhole(moment, table, slot) ? millis : purges.now());
        }
      }
    }
    for (Ban ban : bans) {
      if (ban != null) {
        purges.ban(ban);
      }
    }
  }

  private static boolean isWhole(long moment, Table table, int slot) {
    return moment == moment(table, slot, moment >>> CHECK_BITS);
  }

  private static long moment(Table table, int slot, long millis) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(16).putLong(millis).putInt(table.ordinal()).putInt(slot).flip());
    return millis << CHECK_BITS | (crc.getValue() & ((1 << CHECK_BITS) - 1));
  }

  private static int place(Table table, int slot) {
    return HEADER_BYTES + (table.ordinal() * Purges.SLOTS + slot) * MOMENT_BYTES;
  }

  /** False where one is damaged. */
  private boolean readBans() {
    boolean sound = true;
    for (int i = 0; i < bans.length; i++) {
      ByteBuffer octets = ByteBuffer.wrap(content, TABLES_END + i * BAN_BYTES, BAN_BYTES).slice();
      if (octets.getInt(4) != 0 || octets.getInt(0) != 0) {
        bans[i] = ban(octets);
        sound &= bans[i] != null;
      }
    }
    return sound;
  }

  /** Null where it is damaged. */
  private static Ban ban(ByteBuffer octets) {
    int length = octets.getInt(4);
    if (length < BAN_FIXED_BYTES || length > BAN_BYTES || octets.getInt(0) != crc(octets, length)) {
      return null;
    }
    int hostLength = octets.getInt(16);
    byte[] text = new byte[length - BAN_FIXED_BYTES];
    octets.get(BAN_FIXED_BYTES, text);
    try {
      String host = new String(text, 0, hostLength, StandardCharsets.UTF_8);
      String regex = new String(text, hostLength, text.length - hostLength, StandardCharsets.UTF_8);
      return new Ban(octets.getLong(8), UrlPattern.of(host, regex));
    } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
      return null;
    }
  }

  private static int crc(ByteBuffer octets, int length) {
    CRC32C crc = new CRC32C();
    crc.update(octets.duplicate().position(4).limit(length));
    return (int) crc.getValue();
  }

  /** Writes down a purge of {@code numbers}. */
  synchronized void mark(Table table, long[] numbers, long millis) throws IOException {
    for (long number : numbers) {
      int slot = Purges.slot(number);
      int place = place(table, slot);
      long before = ByteBuffer.wrap(content).getLong(place) >>> CHECK_BITS;
      if (millis > before) {
        ByteBuffer.wrap(content).putLong(place, moment(table, slot, millis));
        write(ByteBuffer.wrap(content, place, MOMENT_BYTES).slice(), place);
      }
    }
  }

  /**
   * Writes down a ban, in place of an older one of the same pattern; a newer one, which another
   * thread may have been the first to write, stays.
   */
  synchronized void ban(Ban ban) throws IOException {
    int slot = -1;
    for (int i = bans.length - 1; i >= 0; i--) {
      boolean same = bans[i] != null && bans[i].pattern().equals(ban.pattern());
      if (same && bans[i].millis() >= ban.millis()) {
        return;
      }
      if (same || (bans[i] == null && (slot < 0 || bans[slot] == null))) {
        slot = i;
      }
    }
    if (slot < 0) {
      throw new IOException("no room for one more pattern");
    }
    byte[] host = ban.pattern().host().getBytes(StandardCharsets.UTF_8);
    byte[] regex = ban.pattern().regex().getBytes(StandardCharsets.UTF_8);
    ByteBuffer octets = ByteBuffer.allocate(BAN_BYTES);
    int length = BAN_FIXED_BYTES + host.length + regex.length;
    octets.putInt(4, length).putLong(8, ban.millis()).putInt(16, host.length);
    octets.put(BAN_FIXED_BYTES, host).put(BAN_FIXED_BYTES + host.length, regex);
    octets.putInt(0, crc(octets, length));
    write(octets, TABLES_END + slot * BAN_BYTES);
    bans[slot] = ban;
  }

  /** When {@code number} was purged last; 0: never. */
  synchronized long moment(Table table, long number) {
    int place = place(table, Purges.slot(number));
    return ByteBuffer.wrap(content).getLong(place) >>> CHECK_BITS;
  }

  /** Patterns that not all of the directory was compared with yet. */
  synchronized List<Ban> bans() {
    return Arrays.stream(bans).filter(Objects::nonNull).toList();
  }

  /** Everything was compared with {@code through}. */
  synchronized void retire(List<Ban> through) throws IOException {
    for (int i = 0; i < bans.length; i++) {
      if (bans[i] != null && through.contains(bans[i])) {
        write(ByteBuffer.allocate(BAN_BYTES), TABLES_END + i * BAN_BYTES);
        bans[i] = null;
      }
    }
  }

  /** Brings to the disk what was written before. */
  void force() throws IOException {
    file.force(false);
  }

  private void write(ByteBuffer octets, int place) throws IOException {
    for (int at = place; octets.hasRemaining(); ) {
      at += file.write(octets, at);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
