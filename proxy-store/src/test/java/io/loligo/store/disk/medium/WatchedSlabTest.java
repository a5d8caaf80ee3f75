package io.loligo.store.disk.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchedSlabTest {
  private final List<String> seen = new ArrayList<>();
  private long nanos;

  private final DiskWatch watch =
      new DiskWatch() {
        @Override
        public void waited(long nanos) {
          seen.add("waited");
        }

        @Override
        public void began(DiskOperation operation) {
          seen.add("began " + operation);
        }

        @Override
        public void ended(DiskOperation operation, long nanos, long bytes) {
          seen.add("ended " + operation + ' ' + nanos + ' ' + bytes);
        }

        @Override
        public void stored(long bytes, long nanos, long blocks, long blockNanos) {
          seen.add("stored");
        }
      };

  /** Takes 5 ns to read, 7 to write; fails beyond 99. */
  private final class TestSlab implements Slab {
    @Override
    public boolean readNow(long position, ByteBuf into, int length) {
      seen.add("now " + position + ' ' + length);
      return true;
    }

    @Override
    public void prepare() {
      seen.add("prepare");
    }

    @Override
    public void expect(long position, long length) {
      seen.add("expect " + position + ' ' + length);
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      nanos += 5;
      check(position);
      seen.add("read " + position);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      nanos += 7;
      check(position);
      from.skipBytes(from.readableBytes());
      seen.add("write " + position);
    }

    private void check(long position) throws IOException {
      if (position > 99) {
        throw new IOException("beyond");
      }
    }

    @Override
    public void close() {
      seen.add("close");
    }
  }

  private final Slab slab = new WatchedSlab(new TestSlab(), watch, () -> nanos);

  @Test
  void tellsTimesAndBytes() throws IOException {
    slab.read(10, Unpooled.EMPTY_BUFFER, 30);
    slab.write(20, Unpooled.wrappedBuffer(new byte[40]));
    assertThat(seen)
        .containsExactly(
            "began READ",
            "read 10",
            "ended READ 5 30",
            "began WRITE",
            "write 20",
            "ended WRITE 7 40");
  }

  @Test
  void afterAFailureNothingIsInProgress() {
    assertThatThrownBy(() -> slab.read(100, Unpooled.EMPTY_BUFFER, 1))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> slab.write(100, Unpooled.EMPTY_BUFFER))
        .isInstanceOf(IOException.class);
    assertThat(seen)
        .containsExactly("began READ", "ended READ 5 1", "began WRITE", "ended WRITE 7 0");
  }

  @Test
  void theRestIsPassedOnUnseen() throws IOException {
    assertThat(slab.readNow(1, Unpooled.EMPTY_BUFFER, 2)).isTrue();
    slab.prepare();
    slab.expect(3, 4);
    slab.close();
    assertThat(seen).containsExactly("now 1 2", "prepare", "expect 3 4", "close");
  }
}
