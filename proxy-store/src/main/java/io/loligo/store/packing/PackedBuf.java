package io.loligo.store.packing;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A block of a chunk as a buffer of its own: it goes back when its last reference goes. Never
 * recycled. Threads that use blocks of one chunk do not meet: no view of the chunk is shared.
 */
final class PackedBuf extends AbstractReferenceCountedByteBuf {
  private final PackedAllocator allocator;
  private final ByteBuf chunk;
  private final int block;

  PackedBuf(PackedAllocator allocator, ByteBuf chunk, int block, int capacity) {
    super(capacity);
    this.allocator = allocator;
    this.chunk = chunk;
    this.block = block;
  }

  private int at(int index) {
    return Packing.offset(block) + index;
  }

  private int at(int index, int length) {
    checkIndex(index, length);
    return at(index);
  }

  @Override
  protected void deallocate() {
    allocator.give(block);
  }

  @Override
  public int capacity() {
    return maxCapacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new UnsupportedOperationException("a packed buffer does not change its size");
  }

  @Override
  public ByteBufAllocator alloc() {
    return allocator;
  }

  @Deprecated
  @Override
  @SuppressWarnings("InlineMeSuggester") // deprecated by the library, which asks for it still
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return true;
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
    return chunk.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    return chunk.memoryAddress() + at(0);
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  protected byte _getByte(int index) {
    return chunk.getByte(at(index));
  }

  @Override
  protected short _getShort(int index) {
    return chunk.getShort(at(index));
  }

  @Override
  protected short _getShortLE(int index) {
    return chunk.getShortLE(at(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return chunk.getUnsignedMedium(at(index));
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return chunk.getUnsignedMediumLE(at(index));
  }

  @Override
  protected int _getInt(int index) {
    return chunk.getInt(at(index));
  }

  @Override
  protected int _getIntLE(int index) {
    return chunk.getIntLE(at(index));
  }

  @Override
  protected long _getLong(int index) {
    return chunk.getLong(at(index));
  }

  @Override
  protected long _getLongLE(int index) {
    return chunk.getLongLE(at(index));
  }

  @Override
  protected void _setByte(int index, int value) {
    chunk.setByte(at(index), value);
  }

  @Override
  protected void _setShort(int index, int value) {
    chunk.setShort(at(index), value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    chunk.setShortLE(at(index), value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    chunk.setMedium(at(index), value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    chunk.setMediumLE(at(index), value);
  }

  @Override
  protected void _setInt(int index, int value) {
    chunk.setInt(at(index), value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    chunk.setIntLE(at(index), value);
  }

  @Override
  protected void _setLong(int index, long value) {
    chunk.setLong(at(index), value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    chunk.setLongLE(at(index), value);
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    chunk.getBytes(at(index, length), dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    chunk.getBytes(at(index, length), dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    chunk.getBytes(at(index, dst.remaining()), dst);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    chunk.getBytes(at(index, length), out, length);
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
    chunk.setBytes(at(index, length), src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    chunk.setBytes(at(index, length), src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    chunk.setBytes(at(index, src.remaining()), src);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    return chunk.setBytes(at(index, length), in, length);
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
    return chunk.nioBuffer(at(index, length), length);
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
