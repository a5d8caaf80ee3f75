package io.loligo.store.disk.purge;

import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.purge.Moments;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One bucket of the file {@code purges}: a floor for each table, then names with the moments of
 * their purges, each with a checksum (see {@code docs/disk-format.md} and {@link Moments}). Not
 * thread-safe.
 */
public final class PurgeBucket {
  public static final int CELL_BYTES = FileSizes.CELL_BYTES;

  /** A sector: no disk writes half of it. */
  public static final int BYTES = FileSizes.BUCKET_BYTES;

  // a moment: 46 bits of milliseconds, 2 of the table, 16 of the checksum
  private static final int CHECK_BITS = 16;
  private static final int STAMP_BITS = 18;
  private static final int TABLE_MASK = 3;
  private static final Table[] TABLES = Table.values();

  private final ByteBuffer bytes = ByteBuffer.allocate(BYTES);
  private final ByteBuffer checked = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);
  private final CRC32C crc = new CRC32C();
  private int number;

  /** The bytes of bucket {@code itsNumber}, to be filled in. */
  ByteBuffer begin(int itsNumber) {
    number = itsNumber;
    return bytes.clear();
  }

  /** Its bytes, to be written. */
  ByteBuffer bytes() {
    return bytes.clear();
  }

  /** Whether each cell is empty or fits its checksum. */
  boolean isWhole() {
    boolean whole = true;
    for (int cell = 0; whole && cell < Moments.CELLS; cell++) {
      whole =
          isEmpty(cell)
              || (table(cell) < TABLES.length
                  && moment(cell) == moment(name(cell), millis(cell), table(cell)));
    }
    return whole;
  }

  /** The latest moment of an intact cell of a kind that is not known here; 0: there is none. */
  long unknownMillis() {
    long latest = 0;
    for (int cell = 0; cell < Moments.CELLS; cell++) {
      if (isUnknown(cell)) {
        latest = Math.max(latest, millis(cell));
      }
    }
    return latest;
  }

  /** Clears such cells. */
  void clearUnknown() {
    for (int cell = 0; cell < Moments.CELLS; cell++) {
      if (isUnknown(cell)) {
        bytes.putLong(cell * CELL_BYTES, 0);
        bytes.putLong(cell * CELL_BYTES + Long.BYTES, 0);
      }
    }
  }

  private boolean isUnknown(int cell) {
    return table(cell) >= TABLES.length
        && moment(cell) == moment(name(cell), millis(cell), table(cell));
  }

  /** Passes all of it to {@code purges}, as one of {@code buckets}; it is whole. */
  void loadInto(Purges purges, int buckets) {
    for (int cell = 0; cell < Moments.CELLS; cell++) {
      if (isEmpty(cell)) {
        continue;
      }
      if (cell < Moments.FLOORS) {
        purges.loadFloor(TABLES[table(cell)], number, buckets, millis(cell));
      } else {
        purges.load(TABLES[table(cell)], name(cell), millis(cell));
      }
    }
  }

  /**
   * Adds a purge to the bucket, which is whole: in place of an older one of the same name, or of
   * the oldest one, to whose moment the floor of its table is raised.
   *
   * @return whether anything changed
   */
  boolean put(Table table, long name, long millis) {
    int kind = table.ordinal();
    if (millis <= millis(kind)) {
      return false;
    }
    int oldest = Moments.FLOORS;
    for (int cell = Moments.FLOORS; cell < Moments.CELLS; cell++) {
      if (isEmpty(cell) || (name(cell) == name && table(cell) == kind)) {
        return set(cell, name, millis, kind);
      }
      oldest = millis(cell) < millis(oldest) ? cell : oldest;
    }
    if (millis(oldest) >= millis) {
      return set(kind, 0, millis, kind);
    }
    set(table(oldest), 0, millis(oldest), table(oldest));
    return set(oldest, name, millis, kind);
  }

  /** False if the moment in {@code cell} is as late. */
  private boolean set(int cell, long name, long millis, int table) {
    if (millis <= millis(cell)) {
      return false;
    }
    bytes.putLong(cell * CELL_BYTES, name);
    bytes.putLong(cell * CELL_BYTES + Long.BYTES, moment(name, millis, table));
    return true;
  }

  /** The last purge of {@code name}; 0: never. */
  long millis(Table table, long name) {
    long found = millis(table.ordinal());
    for (int cell = Moments.FLOORS; cell < Moments.CELLS; cell++) {
      if (!isEmpty(cell) && name(cell) == name && table(cell) == table.ordinal()) {
        found = Math.max(found, millis(cell));
      }
    }
    return found;
  }

  private boolean isEmpty(int cell) {
    return name(cell) == 0 && moment(cell) == 0;
  }

  private long name(int cell) {
    return bytes.getLong(cell * CELL_BYTES);
  }

  private long moment(int cell) {
    return bytes.getLong(cell * CELL_BYTES + Long.BYTES);
  }

  private long millis(int cell) {
    return moment(cell) >>> STAMP_BITS;
  }

  private int table(int cell) {
    return (int) (moment(cell) >>> CHECK_BITS) & TABLE_MASK;
  }

  /** With its checksum. */
  private long moment(long name, long millis, int table) {
    long stamp = millis << STAMP_BITS | (long) table << CHECK_BITS;
    checked.clear().putLong(name).putLong(stamp).putInt(number).flip();
    crc.reset();
    crc.update(checked);
    return stamp | (crc.getValue() & ((1L << CHECK_BITS) - 1));
  }
}
