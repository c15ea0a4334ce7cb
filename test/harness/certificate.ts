/**
 * A certificate that nobody has signed but itself, for the name localhost and no other, until 2126. Its key is known to
 * all: it is good for tests alone. Made with `openssl ca -selfsign` on the curve P-256.
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg31mAAMj5Ululyhug
UGA2w6Up/i9YyPBQluF4sEfDaFChRANCAAQ9esEkJcp4bhYEGEco7RKvj7Nu1rTY
naf2OkUtZbs6f7P+AKfWCkuuNiWa0jJEyDBISt1cSXNkIVe6vkK6bxUu
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIBATAKBggqhkjOPQQDAjAiMSAwHgYDVQQDDBdMZWRnZXJs
aW5lIHRlc3QgZ2F0ZXdheTAgFw0wMDAxMDEwMDAwMDBaGA8yMTI2MDEwMTAwMDAw
MFowIjEgMB4GA1UEAwwXTGVkZ2VybGluZSB0ZXN0IGdhdGV3YXkwWTATBgcqhkjO
PQIBBggqhkjOPQMBBwNCAAQ9esEkJcp4bhYEGEco7RKvj7Nu1rTYnaf2OkUtZbs6
f7P+AKfWCkuuNiWa0jJEyDBISt1cSXNkIVe6vkK6bxUuo0gwRjAUBgNVHREEDTAL
gglsb2NhbGhvc3QwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUQ371UL5EmCGo
Cm/2iqRvE9K4/6gwCgYIKoZIzj0EAwIDSAAwRQIhANQvwbD5HIyOU3KBZDZLXJ/j
PrJpWUkc+AFwWVdL+qJ+AiARZ5PDru/YF5To7vSHfCs8rYSdZ/AN17kow2eRR7GM
oA==
-----END CERTIFICATE-----
`,
};
