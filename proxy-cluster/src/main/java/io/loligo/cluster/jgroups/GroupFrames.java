package io.loligo.cluster.jgroups;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** GroupFrames one after the other. Stateless. */
final class GroupFrames {
  private GroupFrames() {}

  static byte[] written(List<GroupFrame> frames) {
    ByteBuffer out = ByteBuffer.allocate(frames.stream().mapToInt(GroupFrame::bytes).sum());
    for (GroupFrame frame : frames) {
      out.putInt(frame.content().length).put(frame.kind()).put(frame.content());
    }
    return out.array();
  }

  /** Those of {@code message}; empty: it is malformed. */
  static List<GroupFrame> read(byte[] message) {
    List<GroupFrame> frames = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(message);
    while (in.remaining() >= GroupFrame.HEAD_BYTES) {
      int length = in.getInt();
      byte kind = in.get();
      if (length < 0 || length > in.remaining()) {
        return List.of();
      }
      byte[] content = new byte[length];
      in.get(content);
      frames.add(new GroupFrame(kind, content));
    }
    return in.hasRemaining() ? List.of() : frames;
  }
}
