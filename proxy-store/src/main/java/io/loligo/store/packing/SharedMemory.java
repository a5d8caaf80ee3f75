package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * Memory of a direct buffer on a JVM without {@code sun.misc.Unsafe}, as JDK 25 is to Netty. A
 * buffer that Netty makes of the same bytes has no address there, although their owner has one.
 * Native code needs it: without it {@code preadv2} cannot read into a block, and a socket makes a
 * view of each block that it sends. Any thread; its owner releases it.
 */
public final class SharedMemory extends UnpooledDirectByteBuf {
  private final long address;

  private SharedMemory(ByteBuf owner, ByteBuffer bytes) {
    super(owner.alloc(), bytes, bytes.remaining());
    this.address = owner.memoryAddress();
  }

  /**
   * All bytes of {@code owner}, for several threads that use parts of them at once, each as a
   * {@link BlockBuf}. Has an address if {@code owner} has one.
   *
   * @param owner direct, borrowed; the result is not used after its release
   */
  public static ByteBuf of(ByteBuf owner) {
    ByteBuffer bytes = owner.nioBuffer(0, owner.capacity());
    ByteBuf shared = Unpooled.wrappedBuffer(bytes);
    return shared instanceof UnpooledUnsafeDirectByteBuf || !owner.hasMemoryAddress()
        ? shared
        : new SharedMemory(owner, bytes);
  }

  @Override
  public boolean hasMemoryAddress() {
    return true;
  }

  @Override
  public long memoryAddress() {
    ensureAccessible();
    return address;
  }
}
