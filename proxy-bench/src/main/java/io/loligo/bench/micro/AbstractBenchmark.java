package io.loligo.bench.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What all micro benchmarks share: the JVM of production without leak detection and without pauses
 * to touch memory, nanoseconds per operation, three forks.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {
      "-Xms512m",
      "-Xmx512m",
      "-XX:+AlwaysPreTouch",
      "-XX:+UseParallelGC",
      "-XX:MaxDirectMemorySize=512m",
      "-Dio.netty.leakDetection.level=disabled",
      // what event loops do, JMH's threads shall do too
      "-Dio.netty.recycler.batchFastThreadLocalOnly=false",
      "--add-opens=java.base/java.lang=ALL-UNNAMED",
      "--add-opens=java.base/java.nio=ALL-UNNAMED",
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
      "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
      "-Dchronicle.analytics.disable=true"
    })
public abstract class AbstractBenchmark {}
