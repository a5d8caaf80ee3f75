package io.loligo.cluster.jgroups;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a member on the wire. The first fields are the same in all versions; later versions
 * append fields, which earlier ones do not read. Immutable.
 *
 * @param member as it says
 * @param oldest the oldest version of messages that it still understands
 */
record MemberFacts(Member member, int oldest) {
  /** The oldest version of messages that this program understands. */
  static final int OLDEST = 1;

  private static final int MAX_NAME = 255;

  byte[] written() {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeShort(member.protocol());
      out.writeShort(oldest);
      out.writeLong(member.id().node().getMostSignificantBits());
      out.writeLong(member.id().node().getLeastSignificantBits());
      out.writeLong(member.id().run());
      write(out, member.address());
      write(out, member.bodies());
      out.writeInt(member.weight());
      out.writeBoolean(member.draining());
      out.writeUTF(member.name().substring(0, Math.min(MAX_NAME, member.name().length())));
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(DataOutputStream out, InetSocketAddress address) throws IOException {
    byte[] bytes = address.getAddress().getAddress();
    out.writeByte(bytes.length);
    out.write(bytes);
    out.writeShort(address.getPort());
  }

  /** Null: they cannot be read. */
  static @Nullable MemberFacts read(byte[] bytes) {
    try {
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
      int protocol = in.readUnsignedShort();
      int oldest = in.readUnsignedShort();
      NodeRun id = new NodeRun(new UUID(in.readLong(), in.readLong()), in.readLong());
      InetSocketAddress address = address(in);
      InetSocketAddress bodies = address(in);
      int weight = in.readInt();
      boolean draining = in.readBoolean();
      String name = in.readUTF();
      return weight < 1
          ? null
          : new MemberFacts(
              new Member(id, name, address, bodies, weight, draining, protocol), oldest);
    } catch (IOException e) {
      return null;
    }
  }

  private static InetSocketAddress address(DataInputStream in) throws IOException {
    byte[] bytes = in.readNBytes(in.readUnsignedByte());
    return new InetSocketAddress(InetAddress.getByAddress(bytes), in.readUnsignedShort());
  }

  /** Whether a node with the version {@code own} and that member understand each other. */
  boolean fits(int own) {
    return own >= oldest && member.protocol() >= OLDEST;
  }
}
