package io.loligo.core.http2;

/**
 * Decodes field blocks (RFC 7541 sections 3 and 6). One for each connection, because its table is
 * built by all blocks. Confined to one thread; allocates nothing once its arrays have grown.
 *
 * <p>Decoded strings are made in arrays that one loop shares among its connections, see {@link
 * Room}.
 */
public final class HpackDecoder {
  /** The size of a table that a connection begins with, bytes. */
  public static final int DEFAULT_TABLE_BYTES = 4_096;

  /** Takes the fields of a block, in their order. */
  public interface Sink {
    /** A field. The arrays are borrowed for the call. */
    void field(
        byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength);
  }

  /**
   * Arrays for blocks and decoded strings, which the connections of one event loop share. Reusable.
   */
  public static final class Room {
    private byte[] name = new byte[64];
    private byte[] value = new byte[512];
    private byte[] block = NONE;

    /** An array of at least {@code length} bytes for a block, until it is given back. */
    byte[] lendBlock(int length) {
      byte[] lent = block;
      block = NONE; // another reader, further down the stack, gets another one
      return lent.length >= length ? lent : new byte[Math.max(512, length)];
    }

    /** Ends a loan. */
    void giveBack(byte[] lent) {
      if (lent.length > block.length && lent.length <= Frames.DEFAULT_MAX_FRAME_BYTES) {
        block = lent;
      }
    }
  }

  private static final int BROKEN = -1;
  private static final byte[] NONE = {};

  private final int maxTableBytes;
  private final DynamicTable table;
  private final Room room;

  // the block being decoded
  private byte[] block = NONE;
  private int at;
  private int end;

  // the string or the name read last
  private byte[] string = NONE;
  private int stringStart;
  private int stringLength;

  /** A decoder that allows the encoder a table of {@code maxTableBytes}, as in our settings. */
  public HpackDecoder(int maxTableBytes, Room room) {
    this.room = room;
    this.maxTableBytes = maxTableBytes;
    this.table = new DynamicTable(Math.min(DEFAULT_TABLE_BYTES, maxTableBytes));
  }

  /**
   * Decodes the whole block {@code bytes[start, end)}, borrowed.
   *
   * @return false: the block is invalid and the table unusable (COMPRESSION_ERROR)
   */
  public boolean decode(byte[] bytes, int start, int blockEnd, Sink sink) {
    block = bytes;
    at = start;
    end = blockEnd;
    boolean valid = decode(sink);
    block = NONE;
    string = NONE;
    return valid;
  }

  private boolean decode(Sink sink) {
    boolean first = true;
    while (at < end) {
      int b = block[at];
      if ((b & 0xe0) == 0x20) {
        if (!first || !resize()) {
          return false;
        }
        continue;
      }
      first = false;
      if (!(b < 0 ? indexed(sink) : literal(b, sink))) {
        return false;
      }
    }
    return true;
  }

  private boolean resize() {
    int size = integer(5);
    if (size < 0 || size > maxTableBytes) {
      return false;
    }
    table.resize(size);
    return true;
  }

  private boolean indexed(Sink sink) {
    int index = integer(7);
    if (index <= 0) {
      return false;
    }
    if (index <= StaticTable.LENGTH) {
      byte[] name = StaticTable.name(index);
      byte[] value = StaticTable.value(index);
      sink.field(name, 0, name.length, value, 0, value.length);
      return true;
    }
    int entry = index - StaticTable.LENGTH;
    if (entry > table.count()) {
      return false;
    }
    int start = table.start(entry);
    int nameLength = table.nameLength(entry);
    sink.field(
        table.bytes(),
        start,
        nameLength,
        table.bytes(),
        start + nameLength,
        table.valueLength(entry));
    return true;
  }

  private boolean literal(int first, Sink sink) {
    boolean indexing = (first & 0x40) != 0;
    int index = integer(indexing ? 6 : 4);
    if (index < 0 || !(index == 0 ? string(true) : name(index))) {
      return false;
    }
    byte[] name = string;
    int nameStart = stringStart;
    int nameLength = stringLength;
    if (!string(false)) {
      return false;
    }
    sink.field(name, nameStart, nameLength, string, stringStart, stringLength);
    if (indexing) {
      table.add(name, nameStart, nameLength, string, stringStart, stringLength);
    }
    return true;
  }

  private boolean name(int index) {
    if (index <= StaticTable.LENGTH) {
      string = StaticTable.name(index);
      stringStart = 0;
      stringLength = string.length;
      return true;
    }
    int entry = index - StaticTable.LENGTH;
    if (entry > table.count()) {
      return false;
    }
    // a copy: adding an entry may move or drop this one
    stringLength = table.nameLength(entry);
    room.name = room(room.name, stringLength);
    System.arraycopy(table.bytes(), table.start(entry), room.name, 0, stringLength);
    string = room.name;
    stringStart = 0;
    return true;
  }

  /** Reads a string; an encoded one into the room for names or for values. */
  private boolean string(boolean isName) {
    if (at >= end) {
      return false;
    }
    boolean encoded = block[at] < 0;
    int length = integer(7);
    if (length < 0 || length > end - at) {
      return false;
    }
    if (!encoded) {
      string = block;
      stringStart = at;
      stringLength = length;
      at += length;
      return true;
    }
    byte[] decoded = room(isName ? room.name : room.value, Huffman.maxDecoded(length));
    if (isName) {
      room.name = decoded;
    } else {
      room.value = decoded;
    }
    string = decoded;
    stringStart = 0;
    stringLength = Huffman.decode(block, at, at + length, decoded, 0);
    at += length;
    return stringLength >= 0;
  }

  private static byte[] room(byte[] array, int length) {
    return array.length >= length ? array : new byte[Math.max(length, 2 * array.length)];
  }

  /** Reads an integer with a prefix of {@code prefix} bits (RFC 7541 section 5.1). */
  private int integer(int prefix) {
    int most = (1 << prefix) - 1;
    int value = block[at++] & most;
    if (value < most) {
      return value;
    }
    // four more bytes suffice for any length or index within our limits
    for (int shift = 0; shift <= 21; shift += 7) {
      if (at >= end) {
        return BROKEN;
      }
      int b = block[at++];
      value += (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    return BROKEN;
  }
}
