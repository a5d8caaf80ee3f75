package io.loligo.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * From which size of a stored response on is it cheaper to gather the per-request lines and the
 * stored block in one system call than to copy both into one buffer and write that?
 *
 * <p>Every candidate sends the same bytes through a loopback connection; the same thread reads them
 * back, which costs each candidate the same. {@code copyOnly} is the copy without the socket: what
 * gathering can save at most.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar BodyCopyBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class BodyCopyBenchmark extends AbstractBenchmark {
  private static final int LINES_BYTES = 200;
  private static final int STORED_HEAD_BYTES = 300;

  /** Content of the stored response. */
  @Param({"1024", "4096", "16384", "65536"})
  int bodyBytes;

  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private byte[] lines;
  private ByteBuf block;
  private ByteBuffer blockView;
  private ByteBuf loopBuffer;
  private ByteBuffer sink;
  private int total;
  private SocketChannel sending;
  private SocketChannel receiving;

  @Setup
  public void connect() throws IOException {
    lines = new byte[LINES_BYTES];
    int length = STORED_HEAD_BYTES + bodyBytes;
    block = allocator.directBuffer(length).writeZero(length);
    blockView = block.nioBuffer().asReadOnlyBuffer();
    total = LINES_BYTES + length;
    loopBuffer = allocator.directBuffer(total, total);
    sink = ByteBuffer.allocateDirect(total);
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      sending = SocketChannel.open(listener.getLocalAddress());
      receiving = listener.accept();
    }
  }

  @TearDown
  public void close() throws IOException {
    sending.close();
    receiving.close();
    block.release();
    loopBuffer.release();
  }

  private int readBack(long sent) throws IOException {
    if (sent != total) {
      throw new IllegalStateException("sent: " + sent + " (expected: " + total + ")");
    }
    sink.clear();
    while (sink.hasRemaining()) {
      receiving.read(sink);
    }
    return sink.position();
  }

  private long write(ByteBuf buffer) throws IOException {
    return sending.write(buffer.internalNioBuffer(0, total));
  }

  /** Both copied into a buffer taken from the pool for this answer. */
  @Benchmark
  public int copyIntoPooledBuffer() throws IOException {
    ByteBuf answer = allocator.directBuffer(total);
    answer.writeBytes(lines).writeBytes(block, 0, block.readableBytes());
    long sent = sending.write(answer.internalNioBuffer(answer.readerIndex(), total));
    answer.release();
    return readBack(sent);
  }

  /** Both copied into the loop's own buffer. */
  @Benchmark
  public int copyIntoLoopBuffer() throws IOException {
    loopBuffer.clear().writeBytes(lines).writeBytes(block, 0, block.readableBytes());
    return readBack(write(loopBuffer));
  }

  /** Lines in a small pooled buffer, the stored block as a retained slice, one gathered write. */
  @Benchmark
  public int gatherSlice() throws IOException {
    ByteBuf head = allocator.directBuffer(LINES_BYTES).writeBytes(lines);
    ByteBuf slice = block.retainedSlice();
    long sent =
        sending.write(
            new ByteBuffer[] {
              head.internalNioBuffer(head.readerIndex(), LINES_BYTES),
              slice.nioBuffer(0, slice.readableBytes())
            });
    head.release();
    slice.release();
    return readBack(sent);
  }

  /** As gatherSlice, with the view of the block made once and duplicated. */
  @Benchmark
  public int gatherSharedView() throws IOException {
    ByteBuf head = allocator.directBuffer(LINES_BYTES).writeBytes(lines);
    long sent =
        sending.write(
            new ByteBuffer[] {
              head.internalNioBuffer(head.readerIndex(), LINES_BYTES), blockView.duplicate()
            });
    head.release();
    return readBack(sent);
  }

  /** Two writes, for comparison. */
  @Benchmark
  public int writeTwice() throws IOException {
    ByteBuf head = allocator.directBuffer(LINES_BYTES).writeBytes(lines);
    long sent = sending.write(head.internalNioBuffer(head.readerIndex(), LINES_BYTES));
    head.release();
    sent += sending.write(blockView.duplicate());
    return readBack(sent);
  }

  /** The copy alone. */
  @Benchmark
  public ByteBuf copyOnly() {
    return loopBuffer.clear().writeBytes(lines).writeBytes(block, 0, block.readableBytes());
  }
}
