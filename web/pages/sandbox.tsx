import { render } from 'preact';
import { Header } from './header.tsx';
render(<Header here="sandbox" />, document.getElementById('page')!);
