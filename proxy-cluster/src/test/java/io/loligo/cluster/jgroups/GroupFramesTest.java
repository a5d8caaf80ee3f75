package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GroupFramesTest {
  private static Member member(int protocol) throws Exception {
    InetAddress six =
        InetAddress.getByAddress(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6});
    InetAddress four = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    return new Member(
        new NodeRun(new UUID(3, 4), 5),
        "node",
        new InetSocketAddress(four, 7800),
        new InetSocketAddress(six, 65_535),
        42,
        true,
        protocol);
  }

  @Test
  void framesComeBackInOrder() {
    List<GroupFrame> read =
        GroupFrames.read(
            GroupFrames.written(
                List.of(
                    new GroupFrame(GroupFrame.ASK, GroupFrame.NOTHING),
                    new GroupFrame(GroupFrame.MESSAGE, new byte[] {1, 2, 3}))));
    assertThat(read)
        .extracting(GroupFrame::kind)
        .containsExactly(GroupFrame.ASK, GroupFrame.MESSAGE);
    assertThat(read.get(1).content()).containsExactly(1, 2, 3);
  }

  @Test
  void aCutOrLyingMessageIsNone() {
    byte[] whole =
        GroupFrames.written(List.of(new GroupFrame(GroupFrame.MESSAGE, new byte[] {1, 2, 3})));
    for (int length = 1; length < whole.length; length++) {
      assertThat(GroupFrames.read(Arrays.copyOf(whole, length))).as("%s", length).isEmpty();
    }
    assertThat(GroupFrames.read(new byte[] {-1, 0, 0, 0, 3})).isEmpty();
    assertThat(GroupFrames.read(new byte[] {127, 0, 0, 0, 3, 1})).isEmpty();
  }

  @Test
  void factsComeBackAndMayHaveMoreFields() throws Exception {
    MemberFacts facts = new MemberFacts(member(1), 1);
    byte[] written = facts.written();
    assertThat(MemberFacts.read(written)).isEqualTo(facts);
    assertThat(MemberFacts.read(Arrays.copyOf(written, written.length + 9))).isEqualTo(facts);
    for (int length = 0; length < written.length; length++) {
      assertThat(MemberFacts.read(Arrays.copyOf(written, length))).as("%s", length).isNull();
    }
  }

  @Test
  void neighbouringVersionsFit() throws Exception {
    assertThat(new MemberFacts(member(1), 1).fits(1)).isTrue();
    assertThat(new MemberFacts(member(2), 1).fits(1)).as("it understands this one").isTrue();
    assertThat(new MemberFacts(member(3), 2).fits(1)).isFalse();
    assertThat(new MemberFacts(member(0), 0).fits(1)).as("it is too old").isFalse();
  }
}
