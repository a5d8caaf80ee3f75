package io.loligo.store.packing;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A part of other memory as a buffer of its own; the subclass gives its references their meaning.
 * Threads that use parts of one memory do not contend: they share no view of it. Where Netty does
 * not write by address, each write has a view of its own. Its size is fixed.
 */
public abstract class BlockBuf extends AbstractReferenceCountedByteBuf {
  private final ByteBuf memory;
  private final int offset;

  /** The bytes of {@code memory}, borrowed, from {@code offset} on. */
  protected BlockBuf(ByteBuf memory, int offset, int capacity) {
    super(capacity);
    this.memory = memory;
    this.offset = offset;
  }

  /** Where it begins in the memory. */
  public final int offset() {
    return offset;
  }

  /**
   * Whether Netty writes by address. Without {@code sun.misc.Unsafe}, as on JDK 25, it writes
   * through a view of the memory that all threads would share, also where the memory has an
   * address: two threads would move one position, and write into the blocks of others.
   */
  private boolean isWrittenByAddress() {
    return memory instanceof UnpooledUnsafeDirectByteBuf;
  }

  private int at(int index) {
    return offset + index;
  }

  private int at(int index, int length) {
    checkIndex(index, length);
    return at(index);
  }

  @Override
  public int capacity() {
    return maxCapacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new UnsupportedOperationException("a block does not change its size");
  }

  @Deprecated
  @Override
  @SuppressWarnings("InlineMeSuggester") // deprecated by the library, which still calls it
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return memory.isDirect();
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public boolean hasMemoryAddress() {
    return memory.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    return memory.memoryAddress() + at(0);
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  protected byte _getByte(int index) {
    return memory.getByte(at(index));
  }

  @Override
  protected short _getShort(int index) {
    return memory.getShort(at(index));
  }

  @Override
  protected short _getShortLE(int index) {
    return memory.getShortLE(at(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return memory.getUnsignedMedium(at(index));
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return memory.getUnsignedMediumLE(at(index));
  }

  @Override
  protected int _getInt(int index) {
    return memory.getInt(at(index));
  }

  @Override
  protected int _getIntLE(int index) {
    return memory.getIntLE(at(index));
  }

  @Override
  protected long _getLong(int index) {
    return memory.getLong(at(index));
  }

  @Override
  protected long _getLongLE(int index) {
    return memory.getLongLE(at(index));
  }

  @Override
  protected void _setByte(int index, int value) {
    memory.setByte(at(index), value);
  }

  @Override
  protected void _setShort(int index, int value) {
    memory.setShort(at(index), value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    memory.setShortLE(at(index), value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    memory.setMedium(at(index), value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    memory.setMediumLE(at(index), value);
  }

  @Override
  protected void _setInt(int index, int value) {
    memory.setInt(at(index), value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    memory.setIntLE(at(index), value);
  }

  @Override
  protected void _setLong(int index, long value) {
    memory.setLong(at(index), value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    memory.setLongLE(at(index), value);
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    memory.getBytes(at(index, length), dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    memory.getBytes(at(index, length), dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    memory.getBytes(at(index, dst.remaining()), dst);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    memory.getBytes(at(index, length), out, length);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    return out.write(nioBuffer(index, length));
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    return out.write(nioBuffer(index, length), position);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    if (isWrittenByAddress()) {
      memory.setBytes(at(index, length), src, srcIndex, length);
    } else {
      src.getBytes(srcIndex, nioBuffer(index, length));
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    if (isWrittenByAddress()) {
      memory.setBytes(at(index, length), src, srcIndex, length);
    } else {
      nioBuffer(index, length).put(src, srcIndex, length);
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    if (isWrittenByAddress() && (src.isDirect() || src.hasArray())) {
      memory.setBytes(at(index, src.remaining()), src);
    } else {
      nioBuffer(index, src.remaining()).put(src);
    }
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    checkIndex(index, length);
    byte[] bytes = new byte[length];
    int read = in.read(bytes);
    if (read > 0) {
      setBytes(index, bytes, 0, read);
    }
    return read;
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
    return in.read(nioBuffer(index, length));
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) throws IOException {
    return in.read(nioBuffer(index, length), position);
  }

  @Override
  public ByteBuf copy(int index, int length) {
    ByteBuf copy = alloc().directBuffer(length, maxCapacity());
    return copy.writeBytes(this, index, length);
  }

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    return memory.nioBuffer(at(index, length), length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    return nioBuffer(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }
}
