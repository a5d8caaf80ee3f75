package io.loligo.core.caching;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A test of what the RFC says a cache MUST or MUST NOT do. */
@Test
@Tag("MUST")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Must {}
