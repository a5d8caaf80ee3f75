package io.loligo.store.disk.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.RandomDataInput;
import net.openhft.chronicle.bytes.RandomDataOutput;
import net.openhft.chronicle.core.OS;
import net.openhft.chronicle.hash.Data;

/**
 * Some octets outside the heap that Chronicle Map takes for a key or a record, so that nothing is
 * allocated for either. Confined to one thread.
 */
final class Octets implements Data<byte[]> {
  private final ByteBuffer buffer;
  private final BytesStore<?, ?> store;
  private final long address;

  Octets(int size) {
    buffer = ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    store = BytesStore.wrap(buffer);
    address = store.addressForRead(0);
  }

  /** The octets, from the first to the last. */
  ByteBuffer whole() {
    buffer.clear();
    return buffer;
  }

  /** Takes what is at an address of the mapped file. */
  void copyFrom(long mapped) {
    copyFrom(mapped, 0, buffer.capacity());
  }

  /** Takes {@code size} octets that are at an address of the mapped file. */
  void copyFrom(long mapped, int offset, int size) {
    Objects.checkFromIndexSize(offset, size, buffer.capacity());
    OS.memory().copyMemory(mapped, address + offset, size);
  }

  @Override
  public RandomDataInput bytes() {
    return store;
  }

  @Override
  public long offset() {
    return 0;
  }

  @Override
  public long size() {
    return buffer.capacity();
  }

  @Override
  @SuppressWarnings("rawtypes") // as declared
  public void writeTo(RandomDataOutput target, long targetOffset) {
    OS.memory().copyMemory(address, target.addressForWrite(targetOffset), buffer.capacity());
  }

  @Override
  public byte[] get() {
    byte[] copy = new byte[buffer.capacity()];
    whole().get(copy);
    return copy;
  }

  @Override
  public byte[] getUsing(byte[] using) {
    return get();
  }
}
