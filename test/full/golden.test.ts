import { goldenTests } from '../golden/goldenTests.ts';

goldenTests(['plain', 'mapped', 'existing-none', 'only-apps', 'labels', 'shop-backup']);
